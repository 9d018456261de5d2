import type { ServerName } from "../../model/names.ts";
import { heldBack, looseningsOf } from "../../policy/loosening.ts";
import type { PolicyRules } from "../../policy/policy.ts";
import type { TrustStore } from "../../trust/trust-store.ts";

/** Remembers what policy stood in `mcpfs.json` when the user trusted it, so that a change which lets out more is put to the user again. */
export interface PolicyTrust {
  /**
   * The policy as far as it lets out no more than that one; the policy itself where it does not, or where nothing was trusted yet.
   * @throws McpfsError CONFIG_INVALID
   */
  readonly heldBack: (policy: PolicyRules) => Promise<PolicyRules>;
  /** Takes the policy as it is. @throws McpfsError CONFIG_INVALID, FILE_FAILED */
  readonly approve: (policy: PolicyRules) => Promise<void>;
}

/** Where the store of trust keeps what is approved of policies: no server has this name. */
const POLICY = "" as ServerName;

/** The store is read anew each time, since another command may add to it. */
export function createPolicyTrust(store: () => Promise<TrustStore>): PolicyTrust {
  return {
    heldBack: async (policy) => {
      const approved = (await (await store()).read()).get(POLICY);
      return approved === undefined ? policy : heldBack(policy, approved);
    },
    approve: async (policy) => await (await store()).add(new Map([[POLICY, looseningsOf(policy)]])),
  };
}
