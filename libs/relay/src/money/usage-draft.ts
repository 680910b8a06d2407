import {
  costOf,
  maxAdded,
  maxAddedCharacters,
  maxDropped,
  maxDroppedCharacters,
  maxModelCharacters,
  maxTries,
  endpointLabel,
  unpricedUnits,
  type CallAttempt,
  type Nanos,
  type Units,
  type UsageDraft,
} from "@modelgate/contracts";
import { priceVersionOf } from "@modelgate/catalog";
import type { AttemptReport } from "@modelgate/channels";
import type { Call, ServingModel } from "../call.ts";
import type { Outcome } from "../outcome.ts";
import type { Bill, CallFees } from "./fees.ts";

/** The call to bill, with its caller and endpoint. */
export type BilledCall = Pick<Call, "caller" | "requestId" | "id" | "endpoint" | "facts" | "span">;

/** Price of a call, and labels of its usage event. */
export interface CallPricing extends Pick<ServingModel, "model" | "multiplier" | "requested"> {
  readonly fees?: CallFees | undefined;
  readonly endUser?: string | undefined;
}

/** Data of a call for its usage event. */
export interface UsageRecord {
  readonly callId: string;
  readonly call: BilledCall;
  readonly price: CallPricing;
  /** Time of the hold, from `performance.now()`. */
  readonly heldAt: number;
}

/** Returns the cost of units, including vendor-side tools and the service tier. */
export function costOfUnits(price: CallPricing, units: Units): Nanos {
  return costOfBill(billOf(price, units), price.multiplier);
}

export function costOfBill({ units, price, otherModels = [] }: Bill, multiplier: number): Nanos {
  let cost = costOf(units, price, multiplier);
  for (const other of otherModels) cost += costOf(other.units, other.price, multiplier);
  return cost;
}

/** Builds the usage event of an outcome without the final cost, which the settlement adds. */
export function makeUsageDraft(
  { callId, call, price, heldAt }: UsageRecord,
  outcome: Outcome,
  billed: Bill = billOf(price, outcome.units),
  heldNanos?: Nanos,
): UsageDraft {
  const { caller, requestId, id, endpoint } = call;
  const { route, tried, startedAt = heldAt, firstByteAt } = outcome;
  const latencyMs = Math.round(performance.now() - startedAt);
  const { units, serviceTier, isTierUnpriced } = billed;
  const unpriced: UsageDraft["unpriced"] = [...unpricedUnits(units, billed.price)];
  if (isTierUnpriced) unpriced.push("serviceTier");
  // Object spreads would take longer than the rest of this function.
  const draft: UsageDraft = {
    id: callId,
    time: new Date().toISOString(),
    requestId,
    accountId: caller.accountId,
    tokenId: caller.tokenId,
    group: caller.group,
    area: endpoint.area,
    endpoint: endpointLabel(id),
    model: price.model.name,
    upstreamModel: route?.candidate.upstreamModel ?? "",
    channelId: route?.candidate.channel.id ?? "",
    status: outcome.status,
    outcome: outcome.callStatus,
    units,
    estimated: outcome.estimated,
    multiplier: price.multiplier,
    latencyMs,
    firstByteMs: firstByteAt === undefined ? latencyMs : Math.round(firstByteAt - startedAt),
    attempts: tried.length,
    priceVersion: priceVersionOf(billed.price),
  };
  if (price.requested !== undefined) draft.requestedModel = price.requested;
  if (unpriced.length > 0) draft.unpriced = unpriced;
  if (serviceTier !== undefined) draft.serviceTier = serviceTier;
  if (outcome.capped !== undefined) draft.capped = [...outcome.capped];
  if (heldNanos !== undefined) draft.heldNanos = heldNanos.toString();
  if (billed.otherModels !== undefined) addModels(draft, billed);
  addDetails(draft, outcome, caller, price.endUser);
  return draft;
}

function addModels(draft: UsageDraft, { answeredBy, otherModels = [] }: Bill): void {
  if (answeredBy !== undefined) draft.upstreamModel = answeredBy.slice(0, maxModelCharacters);
  if (otherModels.length === 0) return;
  draft.otherModels = otherModels.map(({ model, units, price }) => ({
    model: model.slice(0, maxModelCharacters),
    units,
    priceVersion: priceVersionOf(price),
  }));
}

function addDetails(
  draft: UsageDraft,
  { tried, dropped = [] }: Outcome,
  { tags, team, member }: BilledCall["caller"],
  endUser: string | undefined,
): void {
  if (team !== undefined) draft.team = team;
  if (member !== undefined) draft.member = member;
  if (tried.length > 0) draft.tries = tried.slice(0, maxTries).map(callAttemptOf);
  if (dropped.length > 0)
    draft.dropped = dropped.slice(0, maxDropped).map((name) => name.slice(0, maxDroppedCharacters));
  const upstreamRequestId = tried.at(-1)?.upstreamRequestId;
  if (upstreamRequestId !== undefined) draft.upstreamRequestId = upstreamRequestId;
  if (tags !== undefined) draft.tags = tags;
  if (endUser !== undefined) draft.endUser = endUser;
}

function callAttemptOf(report: AttemptReport): CallAttempt {
  const { channel, key, ms, status, failed, vendorCode, vendorMessage, added = [] } = report;
  const callAttempt: CallAttempt = { channel, key, ms };
  if (status !== undefined) callAttempt.status = status;
  if (failed !== undefined) callAttempt.failed = failed;
  if (vendorCode !== undefined) callAttempt.vendorCode = vendorCode;
  if (vendorMessage !== undefined && vendorMessage !== "") callAttempt.vendorMessage = vendorMessage;
  if (added.length > 0) callAttempt.added = added.slice(0, maxAdded).map((name) => name.slice(0, maxAddedCharacters));
  return callAttempt;
}

/** Returns the bill of a call for these units, including its fees. */
export function billOf({ fees, model }: CallPricing, units: Units): Bill {
  return fees?.billFor(units) ?? { units, price: model.price, isTierUnpriced: false };
}
