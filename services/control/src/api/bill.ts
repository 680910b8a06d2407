import { publishedPrice } from "@modelgate/catalog";
import {
  compilePrice,
  costLines,
  costOf,
  Failure,
  UsageEvent,
  validatorOf,
  type CostLine,
  type Price,
} from "@modelgate/contracts";
import type { OperatorRoutes, Redis } from "@modelgate/platform";

const eventShape = validatorOf(UsageEvent);

/** One term of a call's cost. `model` is set for a model other than the one that answered. */
interface BillLine extends CostLine {
  readonly model?: string;
}

/** Explanation of a call's cost. `otherNanos` is the part that prices do not explain, such as a minimum charge. */
interface BillView {
  readonly lines: readonly BillLine[];
  readonly otherNanos: string;
}

/** Routes that explain the cost of a settled call from the price versions in its usage event. */
export function billRoutes(redis: Redis): OperatorRoutes {
  return {
    "POST /bill": async ({ body }) => {
      if (!eventShape.Check(body)) throw new Failure("invalid_value", "The body must be a usage event.");
      return explainCost(redis, body);
    },
  };
}

async function explainCost(redis: Redis, event: UsageEvent): Promise<BillView> {
  const { otherModels = [], multiplier } = event;
  const usual = await priceOf(redis, event.priceVersion);
  const price = usual.serviceTiers.get(event.serviceTier ?? "") ?? usual;
  let otherNanos = BigInt(event.costNanos) - costOf(event.units, price, multiplier);
  const lines: BillLine[] = [...costLines(event.units, price, multiplier)];
  for (const { model, units, priceVersion } of otherModels) {
    const other = await priceOf(redis, priceVersion);
    const itsPrice = other.serviceTiers.get(event.serviceTier ?? "") ?? other;
    otherNanos -= costOf(units, itsPrice, multiplier);
    lines.push(...costLines(units, itsPrice, multiplier).map((line) => ({ ...line, model })));
  }
  return { lines, otherNanos: otherNanos.toString() };
}

async function priceOf(redis: Redis, version: string | undefined): Promise<Price> {
  const published = version === undefined ? undefined : await publishedPrice(redis, version);
  return compilePrice(published?.price ?? {});
}
