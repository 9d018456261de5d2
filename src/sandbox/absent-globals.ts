/** Names that scripts use out of habit and that do not exist in the sandbox, with what to use instead. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["fetch", "There is no network: call a tool of a server under servers/ instead of fetch."],
  ["XMLHttpRequest", "There is no network: call a tool of a server under servers/ instead."],
  ["WebSocket", "There is no network: call a tool of a server under servers/ instead."],
  ["EventSource", "There is no network: call a tool of a server under servers/ instead."],
  ["process", "There is no process: the script's parameters are the global args; use console.log to print."],
  ["require", 'Modules are imported: use import { … } from "./servers/<server>" at the top of the script.'],
  ["module", "Give the script's value with export default instead of module.exports."],
  ["exports", "Give the script's value with export default instead of exports."],
  [
    "Buffer",
    "Use Uint8Array with TextEncoder and TextDecoder, and atob or btoa for base64, instead of Buffer.",
  ],
  ["global", "Use globalThis instead of global."],
  ["window", "There is no browser: use globalThis instead of window."],
  ["self", "Use globalThis instead of self."],
  ["document", "There is no browser and no page: work on the text or the data that a tool gives."],
  ["localStorage", 'Keep data in a file: await fs.writeFile("./workspace/data.json", text).'],
  ["sessionStorage", 'Keep data in a file: await fs.writeFile("./workspace/data.json", text).'],
  ["alert", "Use console.log instead of alert."],
  ["Deno", "This is not Deno: files are at the global fs, and parameters at args."],
  ["Bun", "This is not Bun: files are at the global fs, and parameters at args."],
  ["Intl", "There is no Intl: format numbers and dates with toFixed, padStart and toISOString."],
  ["Worker", "There are no workers: start several calls and await them with Promise.all."],
  ["WebAssembly", "There is no WebAssembly: scripts are plain TypeScript."],
  ["FormData", "There is no network: call a tool of a server under servers/ instead."],
  ["Headers", "There is no network: call a tool of a server under servers/ instead."],
  ["Request", "There is no network: call a tool of a server under servers/ instead."],
  ["Response", "There is no network: call a tool of a server under servers/ instead."],
  ["Blob", "Use Uint8Array instead of Blob."],
  ["File", "Use Uint8Array instead of File; files are at the global fs."],
  ["FileReader", "Files are read with await fs.readFile(…)."],
  ["navigator", "There is no browser: nothing tells of the machine."],
  ["location", "There is no browser and no address; paths are relative to the workspace."],
  ["Event", "Call functions directly: the sandbox has no events but those of AbortSignal."],
  ["EventTarget", "Call functions directly: the sandbox has no events but those of AbortSignal."],
  ["ReadableStream", "There are no streams: read whole texts or bytes with await fs.readFile(…)."],
  ["Temporal", "Use Date; its local time is UTC."],
  ["Atomics", "There are no threads to share memory with: use plain variables."],
  ["prompt", "Nobody can answer: take parameters from the global args."],
  ["confirm", "Nobody can answer: take parameters from the global args."],
  ["__dirname", 'Paths are relative to the workspace: "./workspace/notes.txt".'],
  ["__filename", 'Paths are relative to the workspace: "./workspace/notes.txt".'],
]);

/** The name in the engine's message for a name that does not exist. */
const NOT_DEFINED = /^'([^']+)' is not defined$/;

/** What to use instead of the absent global that an error of the engine names, if it is one that we know. */
export function hintForAbsentGlobal(errorName: string, message: string): string | undefined {
  const name = errorName === "ReferenceError" ? NOT_DEFINED.exec(message)?.[1] : undefined;
  return name === undefined ? undefined : INSTEAD.get(name);
}
