import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  unlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { watchConfig } from "../../src/config/watch-config.ts";

let base: string;
let root: string;
let file: string;
let closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "mcpfs-watch-"));
  root = join(base, "w");
  file = join(root, "mcpfs.json");
  await mkdir(root);
  await writeFile(file, "{}");
});

afterEach(async () => {
  for (const close of closers) await close();
  closers = [];
  await rm(base, { recursive: true, force: true });
});

interface Seen {
  /** Waits until `total` notices came, then a while for one too many. */
  readonly expectTotal: (total: number) => Promise<void>;
}

async function watching(options: { readonly usePolling?: boolean } = {}): Promise<Seen> {
  let notices = 0;
  const watcher = await watchConfig(root, () => (notices += 1), options);
  closers.push(() => watcher.close());
  return {
    expectTotal: async (total) => {
      const deadline = Date.now() + 10_000;
      while (notices < total && Date.now() < deadline) await pause(20);
      await pause(500);
      expect(notices).toBe(total);
    },
  };
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

describe.each([{ usePolling: false }, { usePolling: true }])("with %j", (options) => {
  test("each kind of save is noticed, again and again", async () => {
    const seen = await watching(options);
    await writeFile(file, '{"a":1}');
    await seen.expectTotal(1);
    await writeFile(`${file}.tmp`, '{"a":2}');
    await rename(`${file}.tmp`, file);
    await seen.expectTotal(2);
    await appendFile(file, " ");
    await seen.expectTotal(3);
    renameSync(file, `${file}~`);
    writeFileSync(file, '{"a":3}');
    await seen.expectTotal(4);
    await unlink(file);
    await seen.expectTotal(5);
    await writeFile(file, '{"a":4}');
    await seen.expectTotal(6);
    await appendFile(file, " ");
    await seen.expectTotal(7);
  });

  test("the same bytes again are no change", async () => {
    const seen = await watching(options);
    await writeFile(file, "{}");
    await pause(400);
    await writeFile(`${file}.tmp`, "{}");
    await rename(`${file}.tmp`, file);
    await pause(400);
    await utimes(file, new Date(), new Date());
    await seen.expectTotal(0);
    await writeFile(file, '{"a":1}');
    await seen.expectTotal(1);
  });

  test("fifty quick writes are few notices, and the last content is among them", async () => {
    let last = "";
    let notices = 0;
    const watcher = await watchConfig(
      root,
      () => {
        notices += 1;
        void readFile(file, "utf8").then((text) => {
          last = text;
        });
      },
      options,
    );
    closers.push(() => watcher.close());
    for (let index = 1; index <= 50; index += 1) await writeFile(file, `{"a":${index}}`);
    await pause(1_000);
    expect(last).toBe('{"a":50}');
    expect(notices).toBeLessThan(10);
  });

  test("a file written in steps is noticed once more when it is whole", async () => {
    const texts: string[] = [];
    const watcher = await watchConfig(root, () => texts.push(readFileSync(file, "utf8")), options);
    closers.push(() => watcher.close());
    writeFileSync(file, "");
    await pause(120);
    writeFileSync(file, '{"mcpServers":');
    await pause(700);
    appendFileSync(file, "{}}");
    await pause(1_000);
    expect(texts.at(-1)).toBe('{"mcpServers":{}}');
    expect(texts.length).toBeLessThanOrEqual(3);
  });

  test("other files of the workspace are no change", async () => {
    const seen = await watching(options);
    await mkdir(join(root, "servers"));
    await writeFile(join(root, "servers", "index.ts"), "");
    await writeFile(join(root, "mcpfs.lock.json"), "{}");
    await seen.expectTotal(0);
  });

  test("a workspace that is replaced by another folder is still watched", async () => {
    const seen = await watching(options);
    renameSync(root, join(base, "old"));
    mkdirSync(root);
    writeFileSync(file, '{"a":1}');
    await seen.expectTotal(1);
    await appendFile(file, " ");
    await seen.expectTotal(2);
  });

  test("after close nothing is noticed", async () => {
    let notices = 0;
    const watcher = await watchConfig(root, () => (notices += 1), options);
    await writeFile(file, '{"a":1}');
    await watcher.close();
    await writeFile(file, '{"a":2}');
    await pause(700);
    expect(notices).toBe(0);
  });
});

test("a workspace without its file is watched until the file comes", async () => {
  await unlink(file);
  const seen = await watching();
  await writeFile(file, "{}");
  await seen.expectTotal(1);
});

test("where the system has no watches left, changes are noticed all the same", async (context) => {
  // A user namespace of its own has limits of its own, so that nobody else's watches are touched.
  const limits = ["max_inotify_watches", "max_inotify_instances"];
  for (const limit of limits) {
    const withLimit = `echo 0 > /proc/sys/user/${limit} && exec "$@"`;
    const isPossible = spawnSync("unshare", ["-Ur", "sh", "-c", withLimit, "sh", "true"]).status === 0;
    if (!isPossible) return context.skip("this system gives no user namespace");
    await writeFile(file, "{}");
    const program = join(base, "watch-once.mjs");
    await build({
      entryPoints: [fileURLToPath(new URL("watch-once.ts", import.meta.url))],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
    });
    const run = spawnSync("unshare", ["-Ur", "sh", "-c", withLimit, "sh", process.execPath, program, root], {
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe("noticed\n");
  }
});
