import envPaths from "env-paths";

/** Where a user's own files of mcpfs lie: the folder for configs (`~/.config/mcpfs` on Linux), or `MCPFS_HOME`. */
export function userFolder(env: Readonly<Record<string, string | undefined>>): string {
  const home = env.MCPFS_HOME;
  return home === undefined || home === "" ? envPaths("mcpfs", { suffix: "" }).config : home;
}
