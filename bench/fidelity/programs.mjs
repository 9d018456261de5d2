import { spawn } from "node:child_process";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

/**
 * Lets `tsc` judge all literals of a column in one program: one literal a line, so an error's line names the literal.
 * @param files Map of path → text: what the generator wrote
 * @param groups of {name, head: lines, literals: of {id, type, value}}: a file each
 * @returns refused: Map of literal id → the first error's text; errors: those of the generator's own files
 */
export async function judgeByCompiler(files, groups) {
  const folder = mkdtempSync(join(tmpdir(), "mcpfs-fidelity-"));
  try {
    const write = (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const [path, text] of files) write(path, text);
    const places = new Map();
    for (const { name, head, literals } of groups) {
      const lines = [...head];
      for (const { id, type, value } of literals) {
        lines.push(`{ const v: ${type} = ${literalText(value)}; void v; }`);
        places.set(`judge/${name}.ts:${lines.length}`, id);
      }
      write(`judge/${name}.ts`, `${lines.join("\n")}\n`);
    }
    const config = {
      compilerOptions: { ...OPTIONS, rootDirs: undefined },
      include: ["**/*.ts"],
    };
    write("tsconfig.json", JSON.stringify(config));
    const output = await compile(folder);
    const refused = new Map();
    const errors = [];
    for (const line of output.split("\n")) {
      const match = /^(\S.*?)\((\d+),\d+\): error (.*)$/.exec(line);
      if (match === null) continue;
      const id = places.get(`${match[1]}:${match[2]}`);
      if (id === undefined) errors.push(line);
      else if (!refused.has(id)) refused.set(id, match[3]);
    }
    return { refused, errors };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As in the workspace's own tsconfig.json. */
const OPTIONS = {
  strict: true,
  noImplicitAny: false,
  lib: ["ES2023"],
  types: [],
  target: "es2023",
  module: "preserve",
  moduleResolution: "bundler",
  moduleDetection: "force",
  allowImportingTsExtensions: true,
  noEmit: true,
};

async function compile(folder) {
  const path = join(folder, "errors.txt");
  const file = createWriteStream(path);
  await new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.on("error", reject);
    child.stdout.pipe(file).on("close", resolve);
  });
  return readFileSync(path, "utf8");
}

/** JSON is TypeScript, but for `__proto__`, which would set the prototype, and for line separators, which end a line. */
function literalText(value) {
  return JSON.stringify(value)
    .replaceAll('"__proto__":', '["__proto__"]:')
    .replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`);
}
