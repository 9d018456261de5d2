import type { Redactor } from "../../kernel/log.ts";
import type { CallError, CallOutcome } from "../../model/call.ts";
import type { SyncReport } from "../../model/sync-report.ts";

/**
 * An error of a call without the config's secrets: a server's own words about what went wrong may repeat what it was
 * started with. The script sees it so; the values of answers are data and reach the script as they are.
 */
export function errorWithoutSecrets({ redact, redactJson }: Redactor, error: CallError): CallError {
  return {
    ...error,
    message: redact(error.message),
    hint: redact(error.hint),
    ...(error.clientHint === undefined ? {} : { clientHint: redact(error.clientHint) }),
    content: redactJson(error.content) as CallError["content"],
  };
}

/** The outcome of a call as a person or a model reads it. */
export function outcomeWithoutSecrets(redactor: Redactor, outcome: CallOutcome): CallOutcome {
  const warnings = outcome.warnings.map(redactor.redact);
  if (outcome.kind === "error")
    return { kind: "error", error: errorWithoutSecrets(redactor, outcome.error), warnings };
  const { kind, value, content } = outcome;
  return {
    kind,
    value: value === undefined ? undefined : redactor.redactJson(value),
    content: redactor.redactJson(content) as typeof content,
    warnings,
  };
}

/** A sync's report as a person reads it: errors and warnings quote servers. */
export function reportWithoutSecrets({ redact }: Redactor, report: SyncReport): SyncReport {
  const servers = report.servers.map((server) => ({
    ...server,
    changes: server.changes.map(({ before, after, ...change }) => ({
      ...change,
      before: before === null ? null : redact(before),
      after: after === null ? null : redact(after),
    })),
    warnings: server.warnings.map(redact),
    error:
      server.error === null
        ? null
        : { ...server.error, message: redact(server.error.message), hint: redact(server.error.hint) },
  }));
  return { ...report, servers, warnings: report.warnings.map(redact) };
}
