// biome-ignore-all lint/style/noDefaultExport: the polyfill's modules are written so.
/** The polyfill carries no types; the sandbox only hands its two constructors on. */
declare module "core-js-pure/stable/url/index.js" {
  const polyfill: unknown;
  export default polyfill;
}
declare module "core-js-pure/stable/url-search-params/index.js" {
  const polyfill: unknown;
  export default polyfill;
}
