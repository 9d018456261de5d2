/** Longer keys would fill the lines that they begin; what people write has about ten characters. */
const MAX_LENGTH = 200;

/**
 * Why a server cannot have this key, or nothing. A server's name stands at the beginning of lines and in commands to copy: with a line
 * break it would write lines of its own (`a: 3 tools\nb: …`).
 */
export function serverNameFault(name: string): string | undefined {
  if (name.includes("\n")) return "has a line break in a server's name";
  return name.length > MAX_LENGTH
    ? `is longer than a server's name may be (${MAX_LENGTH} characters)`
    : undefined;
}
