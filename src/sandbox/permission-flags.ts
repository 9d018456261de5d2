/** The first version of Node's line 22 that knows the flag without the word experimental. */
const PLAIN_SINCE = { major: 22, minor: 13 };

/**
 * The options that start a process of this version of Node without permissions: it may read the given files and
 * folders and start threads; it may not write, read anything else, start processes or load addons. A thread holds to
 * that as long as it inherits these options, and none is started with others.
 * @param nodeVersion `process.versions.node`: `20.19.0`
 */
export function permissionFlags(nodeVersion: string, readable: readonly string[]): readonly string[] {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const isPlain = major > PLAIN_SINCE.major || (major === PLAIN_SINCE.major && minor >= PLAIN_SINCE.minor);
  return [
    isPlain ? "--permission" : "--experimental-permission",
    "--allow-worker",
    ...readable.map((path) => `--allow-fs-read=${path}`),
  ];
}
