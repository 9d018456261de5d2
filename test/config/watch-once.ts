import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { watchConfig } from "../../src/config/watch-config.ts";

// A program of its own: watches the workspace that it is given, changes the config, and says when it noticed.
const root = process.argv[2] ?? "";
const watcher = await watchConfig(root, () => {
  console.log("noticed");
  void watcher.close();
});
writeFileSync(join(root, "mcpfs.json"), '{"a":1}');
