/** The polyfill carries no types; the sandbox only hands the two constructors on. */
declare module "core-js-pure/stable/url/index.js" {
  const URL: unknown;
  export default URL;
}
declare module "core-js-pure/stable/url-search-params/index.js" {
  const URLSearchParams: unknown;
  export default URLSearchParams;
}
