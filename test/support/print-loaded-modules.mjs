// Preloaded with --import: prints the address of each module on descriptor 3 as it is loaded.
import { register } from "node:module";

const hook = `import { writeSync } from "node:fs";
export async function load(url, context, next) { writeSync(3, url + "\\n"); return next(url, context); }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);
