import type { ModelEntry, ModelPlace, ModelRole } from "../../model/model-entry.ts";
import { untrustedServer } from "../../model/server-identity.ts";
import type { TrustedServer } from "./trust.ts";

/**
 * Where a model of the config is. An endpoint gets definitions, queries and a key, so the user has approved it before.
 * @param trusted asked for an endpoint only
 * @throws McpfsError UNTRUSTED; CONFIG_INVALID for a model with a problem
 */
export async function modelPlace(
  models: readonly ModelEntry[],
  role: ModelRole,
  trusted: () => Promise<readonly TrustedServer[]>,
): Promise<ModelPlace | undefined> {
  const entry = models.find((model) => model.role === role);
  if (entry === undefined) return undefined;
  if (entry.problem !== undefined) throw entry.problem;
  if (entry.identity === undefined) return entry.place;
  const isTrusted = (await trusted()).some(({ name, isTrusted }) => name === entry.name && isTrusted);
  if (!isTrusted) throw untrustedServer(entry.name);
  return entry.place;
}
