// Builds dist/ from src/: tsc for the host, esbuild for the guest library and the tokenizer, then the generated schemas.
// Runs as `prepare`, so that `npm ci` leaves a program that works; without the compiler (--omit=dev) it steps aside.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

let tsc;
try {
  tsc = require.resolve("typescript/package.json").replace(/package\.json$/, "bin/tsc");
} catch {
  console.log("mcpfs: typescript is not installed, so dist/ is left as it is.");
  process.exit(0);
}

rmSync(`${root}dist`, { recursive: true, force: true });
const built = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (built.status !== 0) process.exit(built.status ?? 1);

const { build } = await import("esbuild");
// The guest library, and the part of it that only scripts with URLs load.
const guestBundles = { main: "guest", url: "guest-url" };
for (const [source, bundle] of Object.entries(guestBundles))
  await build({
    entryPoints: [`${root}src/sandbox/guest/${source}.ts`],
    outfile: `${root}dist/sandbox/${bundle}.js`,
    bundle: true,
    format: "iife",
    platform: "neutral",
    target: "es2023",
    legalComments: "none",
    banner: source === "url" ? { js: "/* core-js-pure, MIT, (c) Denis Pushkarev and CoreJS Company */" } : {},
    minify: true,
    logLevel: "warning",
  });

// The tokenizer with its one vocabulary: the package has four, twice, in 30 MB.
await build({
  entryPoints: [`${root}src/tokens/tokenizer.ts`],
  outfile: `${root}dist/tokens/tokenizer.js`,
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2023",
  charset: "utf8",
  legalComments: "none",
  banner: { js: "/* gpt-tokenizer, MIT, (c) Bazyli Brzoska; vocabulary of tiktoken, MIT, (c) OpenAI */" },
  minify: true,
  logLevel: "warning",
});

const { configSchemaText } = await import("../dist/config/schema.js");
const { jsonShapes, jsonShapeText } = await import("../dist/cli/json-shapes.js");
mkdirSync(`${root}dist/schemas`, { recursive: true });
writeFileSync(`${root}dist/schemas/mcpfs.schema.json`, configSchemaText());
for (const [name, shape] of Object.entries(jsonShapes()))
  writeFileSync(`${root}dist/schemas/${name}.schema.json`, jsonShapeText(name, shape));

if (existsSync(`${root}dist/cli.js`)) chmodSync(`${root}dist/cli.js`, 0o755);
