import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly resolved?: string; readonly link?: boolean }>
  >;
}

const manifest = JSON.parse(read("package.json")) as Manifest;
const lock = JSON.parse(read("package-lock.json")) as LockFile;
const direct = { ...manifest.dependencies, ...manifest.devDependencies };

describe("the lock file", () => {
  test("holds no download address", () => {
    expect(Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
    expect(read("package-lock.json")).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });

  test("stays so, since .npmrc leaves addresses out", () => {
    expect(read(".npmrc").split("\n")).toContain("omit-lockfile-registry-resolved=true");
  });

  test("holds the very versions that package.json asks for", () => {
    const locked = Object.keys(direct).map((name) => [name, lock.packages[`node_modules/${name}`]?.version]);
    expect(Object.fromEntries(locked)).toEqual(direct);
  });
});

test("every dependency has one exact version", () => {
  for (const [name, version] of Object.entries(direct))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
});
