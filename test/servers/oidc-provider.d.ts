/** The package ships no types; tests use a handful of its members. */
declare module "oidc-provider";
