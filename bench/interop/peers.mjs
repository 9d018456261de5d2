// What is installed to meet `mcpfs serve`: in a temporary folder, never as a dependency. Two of them want a newer Node.js than
// mcpfs does, so they bring one.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NODE = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
export const PEERS = {
  inspector: "@modelcontextprotocol/inspector@2.12.0",
  mcporter: "mcporter@0.9.0",
  mcpc: "@apify/mcpc@0.2.6",
  conformance: "@modelcontextprotocol/conformance@0.1.16",
  node: `${NODE}@22.20.0`,
};

/** Installs the peers once; gives their folder. */
export function installPeers() {
  const folder = join(tmpdir(), "mcpfs-interop-peers-1");
  if (existsSync(join(folder, "installed"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...Object.values(PEERS)];
  const npm = spawnSync("npm", args, { cwd: folder, encoding: "utf8", shell: process.platform === "win32" });
  if (npm.status !== 0) throw new Error(`npm install failed: ${npm.stderr}`);
  writeFileSync(join(folder, "installed"), "");
  return folder;
}

/** A file of an installed package. */
export function peerFile(folder, path) {
  return join(folder, "node_modules", path);
}

/** The newer Node.js. */
export function newerNode(folder) {
  return peerFile(folder, `${NODE}/bin/node${process.platform === "win32" ? ".exe" : ""}`);
}
