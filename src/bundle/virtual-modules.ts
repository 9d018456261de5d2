import { switchServerOn } from "../kernel/next-steps.ts";
import { type BundleWorld, flatName } from "./world.ts";

/** The module behind `fs` and `node:fs/promises`: CommonJS, so that every name which the global has is importable. */
export const FS_MODULE = "module.exports = globalThis.fs;";

/**
 * What each module ends with. The `export` makes it an ES module whatever else is in it. The comment overrides any
 * earlier `sourceMappingURL`: esbuild takes the last one, and copies the file that it names into the source map. Cutting
 * them out instead would break scripts that hold such a text in a string.
 */
export const MODULE_TAIL = "\nexport {};\n//# sourceMappingURL=-";

/** Drops a byte order mark, and turns the `#!` of an executable script into a comment of the same length. */
export function plainStart(text: string): string {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  return plain.startsWith("#!") ? `//${plain.slice(2)}` : plain;
}

/** The text of a module that exports stubs; `behind` is the module whose exports it adds to. */
export function stubModule(
  folder: string,
  names: readonly string[],
  behind: string | undefined,
  world: BundleWorld,
): string {
  const star = behind === undefined ? [] : [`export * from ${JSON.stringify(behind)};`];
  const stubs = names.map((name, index) =>
    exportStub(`stub${index}`, folder, name, JSON.stringify(name), world),
  );
  return [...star, ...stubs].join("\n");
}

/** The text of the module from which free names come: wrappers, and stubs for names that no server has. */
export function freeNamesModule(names: readonly string[], world: BundleWorld): string {
  return names
    .map((name, index) => {
      const wrapper = world.flatNames.get(name);
      if (wrapper !== undefined)
        return `export { ${wrapper.export} as ${name} } from ${JSON.stringify(`./${wrapper.file}`)};`;
      const missing = missingMember(name, world);
      return missing === undefined
        ? ""
        : exportStub(`stub${index}`, missing.folder, missing.member, name, world);
    })
    .join("\n");
}

/** True for an identifier that stands for a tool when nothing declares it: one that exists, is gone, or never was. */
export function isFreeName(name: string, world: BundleWorld): boolean {
  return name.includes("_") && (world.flatNames.has(name) || missingMember(name, world) !== undefined);
}

function missingMember(name: string, world: BundleWorld): { folder: string; member: string } | undefined {
  for (const folder of world.folders) {
    const prefix = flatName(folder, "");
    if (name.startsWith(prefix) && name.length > prefix.length)
      return { folder, member: name.slice(prefix.length) };
  }
  return undefined;
}

/** An async function, like the wrapper that it stands for, so that `.catch` and `await` both see its error. */
function exportStub(local: string, folder: string, member: string, as: string, world: BundleWorld): string {
  const known = world.retired.get(folder)?.find((tool) => tool.export === member);
  // The host says which rule denies it; a rule may also deny only some calls.
  if (known !== undefined && world.hidden.has(known.wire))
    return `async function ${local}(args) { return callMCPTool(${JSON.stringify(known.wire)}, args); }\nexport { ${local} as ${as} };`;
  const error = JSON.stringify(missingToolError(folder, member, world));
  return `async function ${local}() { throw new MCPToolError(${error}); }\nexport { ${local} as ${as} };`;
}

function missingToolError(folder: string, member: string, world: BundleWorld): object {
  const isClosed = world.closed.has(folder);
  const nearest = isClosed ? [] : world.nearest(folder, member);
  const instead = isClosed
    ? switchServerOn()[world.reader]
    : nearest.length > 0
      ? `Nearest: ${nearest.join(", ")}.`
      : `See servers/${folder}/ for what it has.`;
  const retired = world.retired.get(folder)?.find((tool) => tool.export === member);
  // Nothing is sent, so that the same call may be made again.
  const facts = { server: folder, tool: member, retry: "safe" };
  return retired === undefined
    ? {
        code: "TOOL_UNKNOWN",
        message: `The server ${folder} has no tool ${JSON.stringify(member)}.`,
        hint: instead,
        ...facts,
      }
    : {
        code: "TOOL_UNAVAILABLE",
        message: isClosed
          ? `The tool ${retired.wire} is not available: its server is disabled or gone from mcpfs.json.`
          : `The tool ${retired.wire} was removed or disabled.`,
        hint: instead,
        ...facts,
      };
}
