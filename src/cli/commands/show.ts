import { type Command, Option } from "commander";
import type { Host } from "../../engine/host.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { VENDORS, type Vendor } from "../../vendors/vendor.ts";
import type { CliContext } from "../cli-context.ts";
import { toolElement } from "../tool-element.ts";

interface ShowOptions {
  readonly format: "ts" | "schema" | Vendor;
  readonly defer?: boolean;
  readonly strict?: boolean;
}

/** `mcpfs show [names...]` */
export function addShowCommand(program: Command, cli: CliContext): void {
  program
    .command("show")
    .description("show a tool: its signature, its definition, or tools in the shape of a model's vendor")
    .argument("[names...]", "server/tool, or any other exact name of a tool; for a vendor: none means all")
    .addOption(
      new Option("--format <format>", "ts: signature; schema: definition; or a vendor's shape")
        .choices(["ts", "schema", ...VENDORS])
        .default("ts"),
    )
    .option("--strict", "with a vendor: keep the model to the schema, where it can be said so")
    .option("--defer", "with a vendor: the list of tools behind the vendor's own tool search")
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs show crm/update_record --format schema\n  mcpfs show --format anthropic --defer > tools.json",
    )
    .action(async (names: string[], options: ShowOptions) => {
      await cli.withHost(async (host) => {
        const vendor = VENDORS.find((one) => one === options.format);
        if (vendor === undefined) await showTool(cli, host, names, options);
        else await showOffer(cli, host, names, { ...options, vendor });
      });
    });
}

async function showTool(
  cli: CliContext,
  host: Host,
  names: readonly string[],
  { format, defer, strict }: ShowOptions,
): Promise<void> {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0)
    throw usage(
      "Name one tool.",
      "Several tools, or all, can be shown in a vendor's shape: --format anthropic.",
    );
  if (defer === true || strict === true)
    throw usage("--defer and --strict belong to a vendor's shape.", `Add --format ${VENDORS.join(", ")}.`);
  const lookup = await host.lookup();
  const tool = await host.usage.noticing(name, async () => lookup.find(name));
  const { renderSignature } = await import("../../render/signature.ts");
  const signature = await renderSignature(tool);
  const isJson = cli.globals().isJson;
  const text = format === "schema" || isJson ? stringifyJson(tool.definition) : signature.trimEnd();
  if (isJson) cli.printJson({ ...toolElement(host, tool, true), definition: tool.definition, signature });
  else cli.print(text);
  await host.usage.shown(tool, text);
}

/** One named tool alone; else what stands in `tools` of a request. What was changed goes to stderr: stdout is for the request. */
async function showOffer(
  cli: CliContext,
  host: Host,
  names: readonly string[],
  { vendor, defer = false, strict = false }: ShowOptions & { readonly vendor: Vendor },
): Promise<void> {
  const { offerTool, offerTools } = await import("../../vendors/offer-tools.ts");
  const portable = await host.portable();
  const tools =
    names.length === 0
      ? await portable.tools()
      : await Promise.all(names.map((name) => host.usage.noticing(name, () => portable.tool(name))));
  const { servers } = await host.catalog();
  const purposeOf = (name: string): string => servers.find((server) => server.name === name)?.purpose ?? "";
  const request = { vendor, isDeferred: defer, isStrict: strict, purposeOf };
  const [only] = names.length === 1 && !defer ? tools : [];
  const { value, changes } = only === undefined ? offerTools(tools, request) : offerTool(only, request);
  if (cli.globals().isJson) {
    cli.printJson({ format: vendor, tools: [value].flat(), changes });
    return;
  }
  cli.printValue(stringifyJson(value));
  for (const change of changes) cli.say(change);
}

function usage(message: string, hint: string): McpfsError {
  return new McpfsError("USAGE", message, { hint });
}
