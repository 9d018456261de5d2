import { SourceMap } from "node:module";
import { type Bundle, SCRIPT_FILE } from "../model/bundle.ts";
import { originalPlace } from "../syntax/line-shift.ts";
import type { BundleMap } from "./bundle-of.ts";

/** A guest's stack as the user knows it. */
export interface UserStack {
  /** Frames in the script and in what it imports, one a line; none of ours. Empty where there are none. */
  readonly stack: string;
  /** The place to show: the script's or a skill's own line, also when a wrapper threw. `null` where none is known. */
  readonly file: string | null;
  /** From 1. */
  readonly line: number | null;
  /** From 1. */
  readonly column: number | null;
}

export interface PlaceMapper {
  readonly stack: (guestStack: string) => UserStack;
}

interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Creates a mapper from places in the bundle to the user's files; the map is read at the first stack. */
export function createPlaceMapper(bundle: Bundle): PlaceMapper {
  let locate: ((line: number, column: number) => Omit<Frame, "name"> | undefined) | undefined;
  return {
    stack: (guestStack) => {
      locate ??= createLocator(bundle);
      const frames: Frame[] = [];
      for (const line of guestStack.split("\n")) {
        const match = GUEST_FRAME.exec(line);
        const place = match && locate(Number(match[2]), Number(match[3]));
        if (place) frames.push({ name: match[1] ?? "", ...place });
      }
      // A call that failed is the caller's to fix: the wrapper in between is shown in the stack alone.
      const own = frames.find((frame) => !isGenerated(frame.file)) ?? frames[0];
      return {
        stack: frames.map(printFrame).join("\n"),
        file: own?.file ?? null,
        line: own?.line ?? null,
        column: own?.column ?? null,
      };
    },
  };
}

/** `    at name (script.js:13:18)`, or without a name `    at script.js:13:18`. */
const GUEST_FRAME = new RegExp(
  `^\\s*at (?:(.*?) \\()?${SCRIPT_FILE.replace(".", "\\.")}:(\\d+):(\\d+)\\)?\\s*$`,
);

function createLocator(bundle: Bundle): (line: number, column: number) => Omit<Frame, "name"> | undefined {
  const lines = bundle.code.split("\n");
  const { version, sources, names, mappings, x_shift: shift } = JSON.parse(bundle.map) as BundleMap;
  const sourceMap = new SourceMap({
    file: SCRIPT_FILE,
    version,
    sources: [...sources],
    sourcesContent: [],
    names: [...names],
    mappings,
    sourceRoot: "",
  });
  return (line, column) => {
    // QuickJS points at the dot of `a.b`, esbuild's map knows the name behind it.
    const isDot = lines[line - 1]?.[column - 1] === ".";
    const entry = sourceMap.findEntry(line - 1, isDot ? column : column - 1);
    // An entry of an earlier line is only the nearest one: this line has none, it is esbuild's own.
    if (!("originalSource" in entry) || !entry.originalSource || entry.generatedLine !== line - 1)
      return undefined;
    const built = { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
    const place = shift?.source === entry.originalSource ? originalPlace(shift, built) : built;
    return place && { file: entry.originalSource, ...place };
  };
}

function isGenerated(file: string): boolean {
  return file === "client.ts" || file.startsWith("servers/");
}

function printFrame({ name, file, line, column }: Frame): string {
  const place = `${file}:${line}:${column}`;
  return name === "" || name === "<anonymous>" ? `    at ${place}` : `    at ${name} (${place})`;
}
