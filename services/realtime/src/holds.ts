import { releaseHold } from "@modelgate/accounts";
import type { CatalogModel } from "@modelgate/catalog";
import type { Tried, Way } from "@modelgate/channels";
import { asFailure } from "@modelgate/contracts";
import { Bill, type Expectation } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import type { SessionCall } from "./session-call.ts";

/** What a use costs. */
export interface SessionPrice {
  readonly model: CatalogModel;
  /** The group's price multiplier. */
  readonly multiplier: number;
}

/** What a hold is for. */
export interface HeldFor {
  readonly price: SessionPrice;
  /** The model that does it, as the client names it, where it is not the session's own. */
  readonly by?: string | undefined;
}

/** What is put aside for what is paid as far as it can be. */
export const nothing: Expectation = { upperNanos: 0n, floorNanos: 0n, floorUnits: {}, tokens: 0 };
/** Tries to hold nothing, without which an event cannot be written, and the pause between them. */
const [emptyTries, emptyPauseMs] = [20, 500];

/** Puts money aside for a session, under the same account, token and way. */
export class Holds {
  readonly #deps: Deps;
  readonly #call: SessionCall;
  #way: Way | undefined;
  #tried: readonly Tried[] = [];

  constructor(deps: Deps, call: SessionCall) {
    this.#deps = deps;
    this.#call = call;
  }

  /** Where the session went, and what was tried. */
  went(way: Way | undefined, tried: readonly Tried[]): void {
    this.#way = way;
    this.#tried = tried;
  }

  /** A bill whose money is put aside. Throws Failure. */
  async hold(expected: Expectation, { price, by }: HeldFor): Promise<Bill> {
    const bill = new Bill(this.#deps.relay, this.#call, price, expected);
    bill.went(by === undefined ? this.#way : wayTo(by, this.#way), this.#tried);
    try {
      await bill.hold();
      return bill;
    } catch (error) {
      // A store that did not answer may have held all the same.
      if (asFailure(error).cause !== undefined) void this.release(bill.callId);
      throw error;
    }
  }

  /** A hold of nothing, for a use that came after the account could not pay on: it is charged as far as it can be. */
  async holdNothing(held: HeldFor): Promise<Bill | undefined> {
    for (let tries = 1; tries <= emptyTries; tries++) {
      try {
        return await this.hold(nothing, held);
      } catch (error) {
        const [err, { requestId }] = [asFailure(error), this.#call];
        if (tries === emptyTries) this.#deps.relay.log.error({ err, requestId }, "a use is left unbilled");
        else await new Promise((resolve) => setTimeout(resolve, emptyPauseMs));
      }
    }
    return undefined;
  }

  /** Gives a hold back. Never rejects: where it could not be, the ledger's sweep does. */
  async release(callId: string): Promise<void> {
    const { accountId, tokenId } = this.#call.caller;
    await releaseHold(this.#deps.relay.redis, { accountId, tokenId, callId }).catch((error: unknown) =>
      this.#deps.relay.log.warn({ err: error, callId }, "a hold is left to the sweep"),
    );
  }
}

/** The same way, to another model of its vendor. */
function wayTo(model: string, way: Way | undefined): Way | undefined {
  if (way === undefined) return undefined;
  const { channel } = way.candidate;
  return { ...way, candidate: { channel, upstreamModel: channel.models.get(model) ?? model } };
}
