import { keyDigest, keyHint, listTokens, newKey } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import { fields } from "./fields.ts";
import { sharesBudget } from "./member-limits.ts";
import { requireChangeableToken, requireManagedToken } from "./tokens.ts";

const daySeconds = 24 * 60 * 60;
/** Time in seconds for which a replaced key works. */
const grace = { defaultSeconds: 7 * daySeconds, maxSeconds: 90 * daySeconds };

/** Routes that rotate and delete API keys. Members delete only keys of members. */
export function tokenRotationRoutes(redis: Redis, ledger: Ledger): OperatorRoutes {
  return {
    "POST /tokens/{id}/rotate": async (call) => {
      const { id } = await requireChangeableToken(redis, call);
      const graceSeconds = fields.optionalInteger(call.body, "graceSeconds") ?? grace.defaultSeconds;
      if (graceSeconds > grace.maxSeconds)
        throw new Failure("invalid_value", `graceSeconds must be at most ${grace.maxSeconds} (90 days).`, {
          param: "graceSeconds",
        });
      const key = newKey();
      const request = { digest: keyDigest(key), hint: keyHint(key), graceSeconds };
      return { ...(await ledger.rotateToken(id, request, call.actor)), key };
    },
    "POST /tokens/{id}/delete": async (call) => {
      const { id, accountId, ofMember } = await requireManagedToken(redis, call);
      if (call.operator.account !== undefined && ofMember !== true)
        throw new Failure("permission_denied", "An operator made this key; only an operator can delete it.");
      const sharing = (await listTokens(redis, accountId)).find(
        (token) => token.within?.id === id && sharesBudget(token),
      );
      if (sharing !== undefined)
        throw new Failure(
          "invalid_value",
          `The key ${sharing.id} of a member shares the budget of this key; delete it first, or disable this key.`,
          { param: "id" },
        );
      await ledger.deleteToken(id, call.actor);
      return {};
    },
  };
}
