import { fileURLToPath } from "node:url";

/** A file of this package by its path below the package's root; `src/` and `dist/` both lie one level below it. */
export function packageFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
