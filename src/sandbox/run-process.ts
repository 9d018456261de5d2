import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { packageFile } from "../kernel/paths.ts";
import { permissionFlags } from "./permission-flags.ts";
import type { FromProcess, ToProcess } from "./process-messages.ts";

/** A process that boots or waits for its one run. */
export interface RunProcess {
  /** Resolves when a thread with everything but the script stands ready in it; rejects when it ends before. */
  readonly ready: Promise<void>;
  readonly isDead: () => boolean;
  readonly send: (message: ToProcess) => void;
  /** Sets who hears of messages and of the end that nobody asked for. It keeps this process alive but while it only waits. */
  readonly listen: (onMessage: (message: FromProcess) => void, onDeath: () => void) => void;
  /** Kills the process and waits until it is gone. */
  readonly end: () => Promise<void>;
}

/** Starts a process of this version of Node with no permissions but to read what it runs, and with no environment. */
export function spawnProcess(memoryBytes: number): RunProcess {
  const child = fork(packageFile("dist/sandbox/process-main.js"), [String(memoryBytes)], {
    env: {},
    execArgv: [...permissionFlags(process.versions.node, readableFiles())],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  let isDead = false;
  let isServing = false;
  let onMessage = (_message: FromProcess): void => {};
  let onDeath = (): void => {};
  const gone = once(child, "close").catch(() => {});
  const ready = new Promise<void>((resolve, reject) => {
    const die = (): void => {
      isDead = true;
      onDeath();
      reject(new Error("The sandbox's process ended."));
    };
    child.on("error", die);
    child.on("exit", die);
    child.on("message", (message: FromProcess) => {
      if (message.kind !== "ready") return onMessage(message);
      // Until here it holds this process open, since somebody may wait for it.
      if (!isServing) holdOpen(child, false);
      resolve();
    });
  });
  // A spare that dies unheard must not end this process.
  ready.catch(() => {});
  return {
    ready,
    isDead: () => isDead,
    send: (message) => {
      // The channel may close between two messages; the end of the process tells.
      if (child.connected) child.send(message, () => {});
    },
    listen: (hearMessage, hearDeath) => {
      isServing = true;
      holdOpen(child, true);
      onMessage = hearMessage;
      onDeath = hearDeath;
      if (isDead) hearDeath();
    },
    end: async () => {
      onDeath = () => {};
      if (!isDead) child.kill("SIGKILL");
      await gone;
    },
  };
}

function holdOpen(child: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

/** The built files of this package, and the engine's packages; each also by name, since Node asks for the folder too. */
function readableFiles(): readonly string[] {
  const require = createRequire(import.meta.url);
  const engine = ["@jitl/quickjs-wasmfile-release-sync/wasm", "quickjs-emscripten-core"].map((name) =>
    packageFolder(require.resolve(name)),
  );
  const types = packageFolder(
    createRequire(join(engine[0] ?? "", "package.json")).resolve("@jitl/quickjs-ffi-types"),
  );
  const folders = [packageFile("dist"), ...engine, types];
  return [packageFile("package.json"), ...folders.map((folder) => join(folder, sep))];
}

/** The folder of the package that a file is in: what follows the last `node_modules` names it. */
function packageFolder(file: string): string {
  const parts = file.split(sep);
  const start = parts.lastIndexOf("node_modules") + 1;
  const isScoped = parts[start]?.startsWith("@") === true;
  return parts.length > start ? parts.slice(0, start + (isScoped ? 2 : 1)).join(sep) : dirname(file);
}
