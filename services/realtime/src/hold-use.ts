import { idsOf } from "@modelgate/platform";
import type { CatalogModel } from "@modelgate/catalog";
import type { CallStatus, Nanos, UnitName, Units } from "@modelgate/contracts";
import { asFailure } from "@modelgate/contracts";
import { holdMoney, notSent, type Expectation, type HeldMoney, type Outcome } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import type { RealtimeCall } from "./session-call.ts";

/** Price of using a model. */
export interface SessionPrice {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
}

/** Usage that the vendor reported, or that was counted where it did not. */
export interface ModelUse {
  readonly units: Units;
  readonly estimated: boolean;
  readonly ended: CallStatus;
  /** Units that were reduced to the maximum that the usage can be. */
  readonly capped?: readonly UnitName[] | undefined;
}

/** Usage that money is reserved for: a response or a transcript. */
export interface WantedUse {
  readonly call: RealtimeCall;
  readonly price: SessionPrice;
  /** Outcome of the use as long as nothing is known about it. */
  readonly unknown: Outcome;
  readonly upperNanos: Nanos;
  /** Tokens to reserve from the API key's rate limit; absent: 0. */
  readonly tokens?: number;
}

/** Status of all usage events of a session, whose protocol was switched. */
const switchedProtocols = 101;
/** Attempts to make an empty reservation, which a usage event requires, and the pause between them in ms. */
const [emptyTries, emptyPauseMs] = [20, 500];

/** Outcome of a use about which nothing is known yet, not even its route. */
export const unknownUse: Outcome = { ...notSent, estimated: true, status: switchedProtocols };

/** Reserves money for one use. Throws Failure. */
export function holdUse(
  { relay }: Deps,
  { call, price, unknown, upperNanos, tokens = 0 }: WantedUse,
): Promise<HeldMoney> {
  const expected: Expectation = { upperNanos, floorNanos: 0n, floorUnits: {}, tokens };
  return holdMoney(relay, { call, price, expected, certain: unknown });
}

/**
 * Settles a use without a reservation, which was reported after the account could not pay for more. Charges it up to
 * the available balance. Never rejects; if the store stays unavailable, the use is not charged.
 */
export async function settleUnheld(deps: Deps, wanted: Omit<WantedUse, "upperNanos">, outcome: Outcome): Promise<void> {
  for (let tries = 1; tries <= emptyTries; tries++) {
    try {
      using held = await holdUse(deps, { ...wanted, upperNanos: 0n });
      return await held.settle(outcome);
    } catch (error) {
      if (tries === emptyTries)
        deps.relay.log.error({ ...idsOf(wanted.call), err: asFailure(error) }, "a use was not charged");
      else await new Promise((resolve) => setTimeout(resolve, emptyPauseMs));
    }
  }
}

/** Runs steps one after the other: each starts when the previous one has ended, successfully or not. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
