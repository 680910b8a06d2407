import { idsOf } from "@modelgate/platform";
import type { CatalogModel } from "@modelgate/catalog";
import type { Caller, CallStatus, Nanos, UnitName, Units } from "@modelgate/contracts";
import { asFailure, Failure } from "@modelgate/contracts";
import { refreshCaller, holdMoney, notSent, resolveServingModel } from "@modelgate/relay";
import type { Expectation, HeldMoney, Outcome } from "@modelgate/relay";
import type { Deps } from "./deps.ts";
import type { RealtimeCall } from "./session-call.ts";

/** Model, which contains the prices, and the group's price multiplier. */
export interface SessionPrice {
  readonly model: CatalogModel;
  readonly multiplier: number;
}

/** Returns a model and its price for this caller. If `name` is undefined, selects the caller's first session model. */
export function findSessionPrice(
  { relay }: Deps,
  { caller, endpoint }: RealtimeCall,
  name: string | undefined,
): SessionPrice {
  const catalog = relay.catalog.current();
  const kinds = endpoint.kinds ?? [];
  const modelName = name ?? catalog.modelsOf(caller).find(({ kind }) => kinds.includes(kind))?.name;
  if (modelName === undefined)
    throw new Failure("missing_required_parameter", "Missing required query parameter: model (?model=…).", {
      param: "model",
    });
  return resolveServingModel(relay, { caller, endpoint }, modelName);
}

/** Returns the caller with current permissions. Throws Failure if they no longer allow the session's model. */
export async function renewCaller(
  { relay }: Deps,
  { caller, endpoint }: RealtimeCall,
  { model }: SessionPrice,
): Promise<Caller> {
  const renewed = await refreshCaller(relay, caller);
  relay.catalog.current().resolve(renewed, model.name, endpoint.kinds ?? []);
  return renewed;
}

/** Usage of a model, as the vendor reported it or as the gateway estimated it. */
export interface ModelUse {
  readonly units: Units;
  readonly estimated: boolean;
  readonly callStatus: CallStatus;
  /** Names of the units that were reduced to their maximum. */
  readonly capped?: readonly UnitName[] | undefined;
}

/** Usage for which money is reserved: a response or a transcript. */
export interface UseReservation {
  readonly call: RealtimeCall;
  readonly price: SessionPrice;
  /** Outcome that is recorded while the usage is not reported. */
  readonly initialOutcome: Outcome;
  readonly upperNanos: Nanos;
  /** Tokens to count against the API key's rate limit. */
  readonly tokens?: number;
}

/** HTTP status in all usage events of a session. */
const switchedProtocols = 101;
/** Maximum attempts to make an empty reservation, which a usage event requires, and the pause between them in ms. */
const [maxEmptyTries, emptyPauseMs] = [20, 500];

/** Outcome of a use before its usage and its route are known. */
export const initialUseOutcome: Outcome = { ...notSent, estimated: true, status: switchedProtocols };

/** Reserves money for a response or a transcript. Throws Failure. */
export function holdUse(
  { relay }: Deps,
  { call, price, initialOutcome, upperNanos, tokens = 0 }: UseReservation,
): Promise<HeldMoney> {
  const expected: Expectation = { upperNanos, floorNanos: 0n, floorUnits: {}, tokens };
  return holdMoney(relay, { call, price, expected, certainOutcome: initialOutcome });
}

/** Settles usage without a reservation, as far as the balance covers it. Never rejects. */
export async function settleUnheld(
  deps: Deps,
  use: Omit<UseReservation, "upperNanos">,
  outcome: Outcome,
): Promise<void> {
  for (let tries = 1; tries <= maxEmptyTries; tries++) {
    try {
      using held = await holdUse(deps, { ...use, upperNanos: 0n });
      return await held.settle(outcome);
    } catch (error) {
      if (tries === maxEmptyTries)
        deps.relay.log.error({ ...idsOf(use.call), err: asFailure(error) }, "usage was not charged");
      else await new Promise((resolve) => setTimeout(resolve, emptyPauseMs));
    }
  }
}

/** Runs steps one after the other. Each starts when the previous one has ended, even with an error. */
export class StepQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
