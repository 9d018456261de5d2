/**
 * The text of the workspace's `tsconfig.json`: what `check` uses and an editor shows.
 * @param skillFolders names of the folders below `skills/`, so that `./servers/x` works in their files too
 */
export function tsconfigText(skillFolders: readonly string[]): string {
  // A relative import is looked up in each of these as if they were one folder. `..` gives `../../servers/x` in
  // `skills/<skill>.ts`, and the wrappers' `../../../client.js`, the meaning they have everywhere: the workspace's own.
  const rootDirs = [".", "..", "skills", ...[...skillFolders].sort().map((folder) => `skills/${folder}`)];
  const config = {
    compilerOptions: {
      strict: true,
      noImplicitAny: false,
      lib: ["ES2023"],
      types: [],
      target: "es2023",
      module: "preserve",
      moduleResolution: "bundler",
      moduleDetection: "force",
      allowImportingTsExtensions: true,
      noEmit: true,
      rootDirs,
    },
    include: ["*.ts", "servers/**/*.ts", "skills/**/*.ts"],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
