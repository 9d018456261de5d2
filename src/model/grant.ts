import type { RawToolName, ServerName } from "./names.ts";

/**
 * An approval that outlives its run, until a time or for ever. It holds for one tool of one server as both are now: of a server that
 * starts something else, and of a tool whose definition has changed, a person is asked again.
 */
export interface Grant {
  readonly id: string;
  readonly server: ServerName;
  /** What the server is, as `server-identity.ts` digests it. */
  readonly identity: string;
  readonly tool: RawToolName;
  /** Digest of the tool's definition. */
  readonly definition: string;
  /** Milliseconds since 1970; absent: for ever. */
  readonly untilMs?: number;
  readonly grantedMs: number;
}

/** What a grant is held against. */
export interface GrantSubject {
  readonly server: ServerName;
  readonly identity: string;
  readonly tool: RawToolName;
  readonly definition: string;
}

/** Why a grant does not hold, or that it does. */
export type GrantStatus = "valid" | "expired" | "changed";

/** Whether a grant holds for what the tool and its server are now. `undefined`: the tool or its server is gone. */
export function grantStatus(grant: Grant, now: GrantSubject | undefined, nowMs: number): GrantStatus {
  if (grant.untilMs !== undefined && nowMs >= grant.untilMs) return "expired";
  const isSame =
    now !== undefined &&
    grant.server === now.server &&
    grant.tool === now.tool &&
    grant.identity === now.identity &&
    grant.definition === now.definition;
  return isSame ? "valid" : "changed";
}
