import URL from "core-js-pure/stable/url/index.js";
import URLSearchParams from "core-js-pure/stable/url-search-params/index.js";
import { defineGlobal } from "./primordials.ts";

/** Loaded only for a script that names `URL`: the polyfill of core-js takes as long to load as all the rest. */
defineGlobal("URL", URL);
defineGlobal("URLSearchParams", URLSearchParams);
// A note of core-js to other copies of itself; there are none.
Reflect.deleteProperty(globalThis, "__core-js_shared__");
