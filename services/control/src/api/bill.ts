import { publishedPrice } from "@modelgate/catalog";
import {
  compilePrice,
  costLines,
  costOf,
  Failure,
  UsageEvent,
  type CostLine,
  type WrittenPrice,
} from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import { Compile } from "typebox/compile";

const eventShape = Compile(UsageEvent);

/** Explanation of a call's cost. `otherNanos` is the part that the price does not explain, such as a minimum charge. */
interface BillView {
  readonly lines: readonly CostLine[];
  readonly otherNanos: string;
}

/**
 * Routes that explain the cost of a settled call by the price version in its usage event. They take the event and
 * return exact decimals.
 */
export function billRoutes(redis: Redis): OperatorRoutes {
  return {
    "POST /bill": async ({ body }) => {
      if (!eventShape.Check(body)) throw new Failure("invalid_value", "The body must be a usage event.");
      const published = body.priceVersion === undefined ? undefined : await publishedPrice(redis, body.priceVersion);
      return explainCost(body, published?.price);
    },
  };
}

function explainCost(event: UsageEvent, written: WrittenPrice | undefined): BillView {
  const usual = compilePrice(written ?? {});
  const price = usual.serviceTiers.get(event.serviceTier ?? "") ?? usual;
  const otherNanos = BigInt(event.costNanos) - costOf(event.units, price, event.multiplier);
  return { lines: costLines(event.units, price, event.multiplier), otherNanos: otherNanos.toString() };
}
