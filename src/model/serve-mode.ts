/** What `serve` hands to a client: every tool, tools that find tools, those and scripts, or what fits. See `docs/serve.md`. */
export const SERVE_MODES = ["auto", "direct", "discover", "code"] as const;
export type ServeMode = (typeof SERVE_MODES)[number];
