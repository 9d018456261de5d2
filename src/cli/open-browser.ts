import { spawn } from "node:child_process";
import type { Io } from "./io.ts";

/**
 * Opens an address in the user's browser, where there is one; nobody waits for it, and whether it opened is not known. The address is an
 * argument of a program and never part of a command line: it comes from a server.
 */
export function openBrowser({ platform, env }: Io, address: string): void {
  const [program, ...args] = openers(platform);
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true, env: { ...env } });
  child.on("error", () => {});
  child.unref();
}

function openers(platform: NodeJS.Platform): readonly [string, ...string[]] {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32":
      // Not `start`, which is a word of the shell and reads `&` in an address as its own.
      return ["rundll32", "url.dll,FileProtocolHandler"];
    default:
      return ["xdg-open"];
  }
}
