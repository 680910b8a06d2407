import { idsOf } from "@modelgate/platform";
import type { CatalogModel } from "@modelgate/catalog";
import type { Nanos, Outcome, UnitName, Units } from "@modelgate/contracts";
import { asFailure } from "@modelgate/contracts";
import { holdMoney, type CallEnd, type Expectation, type HeldMoney, type SentCall } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import type { RealtimeCall } from "./session-call.ts";

/** Price of a use of a model. */
export interface SessionPrice {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
}

/** A use that the vendor reported, or that was counted where it did not. */
export interface ModelUse {
  readonly units: Units;
  readonly estimated: boolean;
  readonly outcome: Outcome;
  /** Units that were cut to the most that the use can have come to. */
  readonly capped?: readonly UnitName[] | undefined;
}

/** A use that money is held for: a response, or a transcript. */
export interface WantedUse {
  readonly call: RealtimeCall;
  readonly price: SessionPrice;
  readonly sent: SentCall;
  readonly upperNanos: Nanos;
  /** Tokens to reserve of the token's minute; 0 where absent. */
  readonly tokens?: number;
}

/** Status of every usage event of a session: its protocol was switched. */
export const switchedProtocols = 101;
/** Tries to hold nothing, without which a usage event cannot be written, and the pause between them. */
const [emptyTries, emptyPauseMs] = [20, 500];

/** Returns the end of a use that nothing is known of yet. */
export function unknownEnd(sent: SentCall): CallEnd {
  return { units: {}, estimated: true, outcome: "failed", status: switchedProtocols, sent };
}

/** Holds money for one use. Throws Failure. */
export function holdUse({ relay }: Deps, { call, price, sent, upperNanos, tokens = 0 }: WantedUse): Promise<HeldMoney> {
  const expected: Expectation = { upperNanos, floorNanos: 0n, floorUnits: {}, tokens };
  return holdMoney(relay, { call, price, expected, certain: unknownEnd(sent) });
}

/**
 * Settles a use that no money is held for, because it was reported after the account could not pay for more: it is
 * charged as far as the balance goes. Never rejects; where the store stays away the use is not charged.
 */
export async function settleUnheld(deps: Deps, wanted: Omit<WantedUse, "upperNanos">, end: CallEnd): Promise<void> {
  for (let tries = 1; tries <= emptyTries; tries++) {
    try {
      using held = await holdUse(deps, { ...wanted, upperNanos: 0n });
      return await held.settle(end);
    } catch (error) {
      if (tries === emptyTries)
        deps.relay.log.error({ ...idsOf(wanted.call), err: asFailure(error) }, "a use was not charged");
      else await new Promise((resolve) => setTimeout(resolve, emptyPauseMs));
    }
  }
}

/** Runs steps one after the other: each begins when the one before it has ended, however that was. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
