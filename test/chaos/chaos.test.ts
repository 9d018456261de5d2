import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../../bench/chaos/main.mjs", import.meta.url));

// The short form of npm run chaos: one minute of it finds what a change breaks, twenty find what is rare.
test.skipIf(process.platform !== "linux")(
  "a hundred calls among dying servers, killed hosts and edited configs lose nothing and leave nothing",
  async () => {
    const child = spawn(process.execPath, [program, "--calls", "120", "--minutes", "0.2"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += String(text)));
    const [code] = await once(child, "close");
    expect(printed.split("\n").filter((line) => line.startsWith("!"))).toEqual([]);
    expect(code, printed).toBe(0);
  },
  180_000,
);
