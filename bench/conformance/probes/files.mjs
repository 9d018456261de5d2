import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { family, value } from "./probe.mjs";

const READS = {
  "dot-dot": "../outside/secret.txt",
  "dot-dot-below": "./workspace/../../outside/secret.txt",
  "dot-dot-deep": "./workspace/a/b/../../../../outside/secret.txt",
  config: "./mcpfs.json",
  "config-by-dot-dot": "./workspace/../mcpfs.json",
  state: "./.mcpfs/runs",
  absolute: "/etc/hostname",
  "absolute-passwd": "/etc/passwd",
  proc: "/proc/self/environ",
  home: "~/.bashrc",
  "file-url": "file:///etc/hostname",
  nul: "./workspace/inside.txt\\0/../../outside/secret.txt",
  "nul-end": "./workspace/inside.txt\\0",
  symlink: "./workspace/link.txt",
  "symlink-folder": "./workspace/linked/secret.txt",
  "symlink-up": "./workspace/up/mcpfs.json",
  backslash: ".\\\\workspace\\\\..\\\\..\\\\outside\\\\secret.txt",
  "backslash-mixed": "./workspace/..\\\\../outside/secret.txt",
  percent: "./workspace/%2e%2e/%2e%2e/outside/secret.txt",
  case: "./WORKSPACE/../mcpfs.json",
  "case-folder": "./Workspace/up/mcpfs.json",
  "double-slash": ".//workspace//..//..//outside//secret.txt",
  drive: "C:\\\\Windows\\\\win.ini",
  unc: "\\\\\\\\host\\\\share\\\\x",
  device: "/dev/zero",
  "dots-with-space": "./workspace/.. /.. /outside/secret.txt",
  "unicode-dots": "./workspace/\\uff0e\\uff0e/\\uff0e\\uff0e/outside/secret.txt",
};
const WRITES = {
  "write-dot-dot": "fs.writeFile('./workspace/../../outside/new.txt', 'x')",
  "write-by-link": "fs.writeFile('./workspace/link.txt', 'overwritten')",
  "write-in-linked-folder": "fs.writeFile('./workspace/linked/new.txt', 'x')",
  "append-by-link": "fs.appendFile('./workspace/link.txt', 'more')",
  "rename-out": "fs.rename('./workspace/inside.txt', './workspace/../../outside/new.txt')",
  "rename-in": "fs.rename('../outside/secret.txt', './workspace/stolen.txt')",
  "copy-in": "fs.copyFile('./workspace/link.txt', './workspace/stolen.txt')",
  "rm-outside": "fs.rm('../outside', { recursive: true, force: true })",
  "rm-root": "fs.rm('./workspace', { recursive: true })",
  "rm-by-linked-folder": "fs.rm('./workspace/linked/secret.txt')",
  "mkdir-outside": "fs.mkdir('../outside/new', { recursive: true })",
  "write-config": "fs.writeFile('./mcpfs.json', '{}')",
  "write-wrapper": "fs.writeFile('./servers/s/one.ts', '')",
};

const intact = ({ base }) =>
  readFileSync(join(base, "outside", "secret.txt"), "utf8") === "secret" &&
  !existsSync(join(base, "outside", "new.txt")) &&
  !existsSync(join(base, "outside", "new"));

/** The attempt must fail with an error that the script can catch, and nothing outside may be read or changed. */
function attempt(id, expression) {
  return {
    id: `files-${id}`,
    ours: async ({ run, base }) => {
      const observed = await run(
        `let said; try { said = 'went: ' + await ${expression}; } catch (e) { said = e.code ?? e.name; }\nexport default String(said);`,
        {},
      );
      return { ...observed, isIntact: intact({ base }) };
    },
    want: value((said) => /^(FILE_OUTSIDE_WORKSPACE|FILE_FAILED)$/.test(said), { isIntact: true }),
    peers: "no files of the host",
  };
}

export const FILES = family("files", [
  ...Object.entries(READS).map(([id, path]) => attempt(id, `fs.readFile('${path}', 'utf8')`)),
  ...Object.entries(WRITES).map(([id, expression]) => attempt(id, expression)),
  {
    id: "files-listing-by-link",
    code: "let said; try { said = (await fs.readdir('./workspace/linked')).join(); } catch (e) { said = e.code; }\nexport default said;",
    want: value("FILE_OUTSIDE_WORKSPACE"),
    peers: false,
  },
  {
    id: "files-round-trip",
    code: "await fs.mkdir('./workspace/d', { recursive: true }); await fs.writeFile('./workspace/d/x', 'grün\\0'); await fs.appendFile('./workspace/d/x', '!'); const text = await fs.readFile('./workspace/d/x', 'utf8'); const list = await fs.readdir('./workspace/d'); await fs.rm('./workspace/d', { recursive: true });\nexport default [text, list, await fs.exists('./workspace/d')];",
    want: value(["grün\0!", ["x"], false]),
    peers: false,
  },
  {
    id: "files-link-made-meanwhile",
    code: "export default [await fs.exists('./workspace/inside.txt'), typeof fs.symlink, typeof fs.link];",
    want: value([true, "undefined", "undefined"]),
    peers: false,
  },
  {
    id: "files-flood",
    code: "const big = 'x'.repeat(20_000_000); let said = 'went'; try { for (let i = 0; i < 100; i++) await fs.writeFile('./workspace/flood' + i % 3, big); } catch (e) { said = e.code; }\nfor (let i = 0; i < 3; i++) await fs.rm('./workspace/flood' + i, { force: true });\nexport default said;",
    limits: { argumentBytes: 64 * 1024 * 1024, wallMs: 60_000, cpuMs: 30_000 },
    want: value("FILE_FAILED"),
    peers: false,
  },
]);
