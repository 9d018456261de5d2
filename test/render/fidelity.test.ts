import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TYPE_CASES } from "./type-cases.ts";

const script = fileURLToPath(new URL("../../bench/fidelity.mjs", import.meta.url));

// B1
test("generated values of the hard schemas that Ajv finds valid are accepted, those with a mistake refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mcpfs-fidelity-"));
  try {
    const tools = TYPE_CASES.map(({ schema }, index) => ({ name: `case_${index}`, inputSchema: schema }));
    await writeFile(join(folder, "hard.json"), JSON.stringify({ tools }));
    const { stdout, stderr } = spawnSync(process.execPath, [script, folder, "--only-own", "--list"], {
      encoding: "utf8",
    });
    const share = (name: string): number => Number(new RegExp(`${name}.* ([\\d.]+)$`, "m").exec(stdout)?.[1]);
    expect(share("soundness"), stdout + stderr).toBe(100);
    expect(share("type errors"), stdout).toBe(0);
    expect(share("stray statements"), stdout).toBe(0);
    expect(share("precision"), stdout).toBeGreaterThan(98);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
