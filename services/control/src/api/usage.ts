import { readTotals, usageDimensions, type UsageDimension } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import type { OperatorRoutes } from "./router.ts";

export function usageRoutes(redis: Redis): OperatorRoutes {
  return {
    "GET /usage": async ({ query }) => {
      const today = new Date().toISOString().slice(0, 10);
      const day = query.get("day");
      const groupBy = (query.get("by") ?? "account,model,day").split(",").map(dimension);
      try {
        return await readTotals(redis, {
          from: day ?? query.get("from") ?? today,
          to: day ?? query.get("to") ?? today,
          account: query.get("account") ?? undefined,
          token: query.get("token") ?? undefined,
          model: query.get("model") ?? undefined,
          channel: query.get("channel") ?? undefined,
          groupBy,
        });
      } catch (error) {
        if (error instanceof RangeError) throw new Failure("invalid_value", `${error.message}.`, { param: "from" });
        throw error;
      }
    },
  };
}

function dimension(word: string): UsageDimension {
  const known = usageDimensions.find((name) => name === word.trim());
  if (known === undefined)
    throw new Failure("invalid_value", `by takes ${usageDimensions.join(", ")}.`, { param: "by" });
  return known;
}
