// Preloaded with --import: appends the address of each module to the file LOADED_MODULES as it is loaded.
import { register } from "node:module";

const hook = `import { appendFileSync } from "node:fs";
export async function load(url, context, next) { appendFileSync(process.env.LOADED_MODULES, url + "\\n"); return next(url, context); }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url);
