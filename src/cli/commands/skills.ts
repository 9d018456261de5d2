import type { Command } from "commander";
import { oneLine } from "../../kernel/text.ts";
import type { CliContext } from "../cli-context.ts";
import { readScript } from "../read-script.ts";
import { skillElement } from "../skill-element.ts";

/** `mcpfs skills save|list` */
export function addSkillsCommands(program: Command, cli: CliContext): void {
  const skills = program
    .command("skills")
    .description("scripts that worked, kept as functions")
    .addHelpText("after", "\nExample:\n  mcpfs skills list")
    .helpCommand(false);
  skills
    .command("save")
    .description("save a script as a function with a SKILL.md; any later script imports it")
    .argument("<script>", "a .ts or .js file, or - for standard input")
    .requiredOption("--name <name>", "lower-case letters, digits and single hyphens: weekly-report")
    .requiredOption("--description <text>", "what it does and when to use it")
    .option("--overwrite", "replace the skill of this name")
    .addHelpText(
      "after",
      '\nExample:\n  mcpfs skills save report.ts --name weekly-report --description "Totals of the week, by team"',
    )
    .action(async (script: string, options: { name: string; description: string; overwrite?: boolean }) => {
      const source = await readScript(cli, script);
      const { name, description, overwrite = false } = options;
      await cli.withHost(async (host) => {
        const saved = await host.saveSkill({ name, description, source, isOverwrite: overwrite });
        if (cli.globals().isJson) cli.printJson(saved);
        else cli.say(`${saved.changed ? "saved" : "kept"} ${saved.path}; import it from "./${saved.path}"`);
      });
    });
  skills
    .command("list")
    .description("list the skills of this workspace")
    .addHelpText("after", "\nExample:\n  mcpfs skills list --json")
    .action(async () => {
      await cli.withHost(async (host) => {
        const listed = await host.listSkills();
        if (cli.globals().isJson) cli.printJson(listed.map(skillElement));
        else if (listed.length === 0) cli.say('no skills yet; "mcpfs skills save <script>" keeps one');
        if (cli.globals().isJson) return;
        for (const skill of listed) {
          const { status } = skillElement(skill);
          cli.print(
            `${skill.name}${status === "ok" ? "" : ` (${status})`}  ${oneLine(skill.description, 100)}`.trimEnd(),
          );
          for (const wire of skill.changed)
            cli.log.warn(`${skill.name}: ${wire} is not what it was when the skill was saved.`);
          for (const problem of skill.problems) cli.log.warn(`${skill.name}: ${problem}`);
        }
      });
    });
}
