import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { watch } from "chokidar";
import { digestText } from "../kernel/digest.ts";
import { CONFIG_FILE } from "./find-workspace.ts";

/** A two-step save is two events 1–9 ms apart, and 50 quick writes are 8: one notice is enough. */
const DEBOUNCE_MS = 150;

/**
 * A look at the file's time stamp beside the events: some disks (network, WSL) send none, and none come any more
 * when the folder itself was replaced by another. libuv looks, which wakes no JavaScript until something changed: with
 * a timer and `stat` an idle watch takes 1 % of a core here instead of 0.2 (measured).
 */
const GLANCE_MS = 2_000;

/** The same look where there are no events at all. */
const POLL_MS = 300;

/**
 * Calls `onChange` after each change of `mcpfs.json` in `root`: written in place, replaced by rename, deleted,
 * created again. Several changes at once are one notice, and a file with the same bytes is none. The file may be
 * half written when `onChange` is called; then loading it throws, and a further call follows. Changes count from
 * the moment of this call, so watch first and load then. Where the system has no watches left (ENOSPC, EMFILE), or
 * with `usePolling`, the file is looked at several times a second instead.
 */
export async function watchConfig(
  root: string,
  onChange: () => void,
  options: { readonly usePolling?: boolean } = {},
): Promise<{ close(): Promise<void> }> {
  const path = join(root, CONFIG_FILE);
  let isClosed = false;
  let known = await contentDigest(path);
  let debounce: NodeJS.Timeout | undefined;

  const check = async (): Promise<void> => {
    const digest = await contentDigest(path);
    if (isClosed || digest === known) return;
    known = digest;
    onChange();
  };
  const notice = (): void => {
    clearTimeout(debounce);
    debounce = setTimeout(() => void check(), DEBOUNCE_MS);
  };
  const glanceEvery = (interval: number): void => {
    unwatchFile(path, notice);
    watchFile(path, { interval }, notice);
  };

  glanceEvery(options.usePolling ? POLL_MS : GLANCE_MS);
  // What changes before the first look is not in the stamps that it compares.
  notice();
  const watcher = options.usePolling ? undefined : watch(path, { ignoreInitial: true });
  if (watcher !== undefined) {
    watcher.on("all", notice);
    await new Promise<void>((resolve) => {
      watcher.once("ready", resolve);
      watcher.on("error", () => {
        if (!isClosed) glanceEvery(POLL_MS);
        resolve();
      });
    });
  }
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(debounce);
      unwatchFile(path, notice);
      await watcher?.close();
    },
  };
}

/** Digest of the file's bytes, or what else is there: `missing`, `unreadable`. */
async function contentDigest(path: string): Promise<string> {
  return await readFile(path, "latin1").then(digestText, () => "missing");
}
