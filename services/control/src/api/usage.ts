import { readTotals, usageDimensions, type UsageDimension } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { periodOf, readPeriod } from "./period.ts";
import type { OperatorRoutes } from "./router.ts";

/** Totals of usage and cost, by account, token, model, channel and day. */
export function usageRoutes(redis: Redis): OperatorRoutes {
  return {
    "GET /usage": async ({ query }) => {
      const groupBy = (query.get("by") ?? "account,model,day").split(",").map(dimension);
      const totals = {
        ...periodOf(query, "dates"),
        account: query.get("account") ?? undefined,
        token: query.get("token") ?? undefined,
        model: query.get("model") ?? undefined,
        channel: query.get("channel") ?? undefined,
        groupBy,
      };
      return readPeriod(() => readTotals(redis, totals));
    },
  };
}

function dimension(word: string): UsageDimension {
  const known = usageDimensions.find((name) => name === word.trim());
  if (known === undefined)
    throw new Failure("invalid_value", `by takes ${usageDimensions.join(", ")}.`, { param: "by" });
  return known;
}
