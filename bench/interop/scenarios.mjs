// The scenarios of the protocol's conformance suite for servers.

/** Scenarios that need what mcpfs does not offer to clients: see docs/interop.md. */
export const NOT_OFFERED = {
  "logging-set-level": "mcpfs declares no logging: lines of scripts are in their answers",
  "completion-complete": "mcpfs declares no completions",
  "tools-call-with-logging": "mcpfs declares no logging",
  "server-sse-polling": "streams are not resumed: a call that lost its stream is made again",
  "resources-read-text": "resources are the workspace's, not the suite's",
  "resources-read-binary": "resources are the workspace's, not the suite's",
  "resources-templates-read": "resources are the workspace's, not the suite's",
  "prompts-get-simple": "prompts are the workspace's skills, not the suite's",
  "prompts-get-with-args": "prompts are the workspace's skills, not the suite's",
  "prompts-get-embedded-resource": "prompts are the workspace's skills, not the suite's",
  "prompts-get-with-image": "prompts are the workspace's skills, not the suite's",
};

export const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "tools-call-elicitation",
  "tools-call-sampling",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "json-schema-2020-12",
  "server-sse-multiple-streams",
  "resources-list",
  "resources-subscribe",
  "resources-unsubscribe",
  "prompts-list",
  "dns-rebinding-protection",
  ...Object.keys(NOT_OFFERED),
];
