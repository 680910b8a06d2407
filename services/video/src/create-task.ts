import type { TaskRecord } from "@modelgate/accounts";
import { asFailure, Failure, priceAt, type Nanos } from "@modelgate/contracts";
import { AttemptsFailed, type OpenAttempt } from "@modelgate/channels";
import { idsOf, type ServiceCall } from "@modelgate/platform";
import {
  costOfUnits,
  holdMoney,
  notSent,
  priced,
  reportRoute,
  usageDraft,
  type HeldMoney,
  type Priced,
  type Outcome,
  type UsageRecord,
} from "@modelgate/relay";
import { requestedVideoOf, type RequestedVideo } from "@modelgate/wires/video";
import type { Deps } from "./deps.ts";
import { Frames } from "./frames.ts";
import { maxCost, unitsOf, type WantedTask } from "./price-task.ts";
import { recordTask } from "./record-task.ts";
import { startAtVendor, routesOf, type Started } from "./start-task.ts";

/** An accepted task, and the fields that its vendor does not support. */
export interface CreatedTask {
  readonly task: TaskRecord;
  /** Fields of the request that were dropped, in the client's spelling. */
  readonly dropped: readonly string[];
}

/**
 * Creates a task: finds its price, reserves money, starts it once at a vendor, and records it with its first event. The
 * reservation stays open with the task; the process whose poll ends the task settles it. Throws Failure, after which
 * nothing is charged. A start that the vendor may have accepted without a readable answer is create_uncertain (502,
 * must not be repeated).
 */
export async function createTask(deps: Deps, call: ServiceCall, wanted: WantedTask): Promise<CreatedTask> {
  const price = pricedInWords(deps, call, wanted);
  const routes = routesOf(deps, call, wanted);
  const upperNanos = maxCost(wanted, routes, price);
  // The minimum charge is zero, unlike that of a text call: a task that was not recorded is useless for its client, so
  // it is free, even where its vendor has accepted it and this service died before recording it.
  const expected = { upperNanos, floorNanos: 0n, floorUnits: {}, tokens: 0 };
  const certain = { ...notSent, estimated: true };
  const hold = (): Promise<HeldMoney> => holdMoney(deps.relay, { call, price, expected, certain });
  using held = await hold();
  let sent = notSent;
  try {
    using frames = new Frames(deps, wanted.request);
    using attempted = await startAtVendor(deps, call, wanted, { price, routes, callId: held.callId, frames });
    sent = { ...notSent, route: attempted.route, tried: attempted.tried, dropped: attempted.accepted.dropped };
    reportRoute(deps.relay, call, attempted.tried);
    const recorder = recorderOf(deps, wanted, { attempted, sent, heldNanos: upperNanos });
    const task = await recordTask(deps, { held, holdAgain: hold, recordOf: recorder, ids: idsOf(call) });
    if (task === undefined) throw new Failure("create_uncertain");
    logTask(call, task);
    return { task, dropped: attempted.accepted.dropped };
  } catch (error) {
    if (!(error instanceof AttemptsFailed)) throw await settleFailed(held, error, sent);
    reportRoute(deps.relay, call, error.tried);
    throw await settleFailed(held, error.failure, { ...notSent, route: error.route, tried: error.tried });
  }
}

/**
 * Returns the model's price. Throws Failure, with the client's name of the field, where the caller may not use the
 * model.
 */
function pricedInWords(deps: Deps, call: ServiceCall, { client, request }: WantedTask): Priced {
  try {
    return priced(deps.relay, call, request.model);
  } catch (error) {
    const param = client.spelling["model"];
    if (param === undefined || !(error instanceof Failure) || error.param !== "model") throw error;
    throw new Failure(error.code, error.message, { param, cause: error });
  }
}

/** Logs a created task in one line; its transitions are logged when they happen. */
function logTask(
  call: ServiceCall,
  { id, accountId, tokenId, model, channelId, state, callId, costNanos }: TaskRecord,
): void {
  call.log.info(
    {
      ...idsOf(call),
      taskId: id,
      callId,
      account: accountId,
      token: tokenId,
      model,
      channel: channelId,
      state,
      costNanos,
    },
    "task",
  );
}

/** A start that a vendor has accepted, and its reservation. */
interface AcceptedStart {
  readonly attempted: OpenAttempt<Started>;
  readonly sent: Outcome;
  readonly heldNanos: Nanos;
}

/** Returns the function that builds a task's record from the call that pays for it. */
function recorderOf(
  deps: Deps,
  wanted: WantedTask,
  { attempted: { accepted, route }, sent, heldNanos }: AcceptedStart,
): (call: UsageRecord) => TaskRecord {
  const { seconds, lines, isSizeLost } = accepted.measure;
  const units = unitsOf(wanted.request, accepted.measure);
  const end: Outcome = { ...sent, units, ended: "completed", status: 200 };
  const requested = requestedVideoOf(isSizeLost ? { ...wanted.request, size: undefined } : wanted.request, seconds);
  const echo: RequestedVideo = { ...requested, lines, remixOf: wanted.remix?.id };
  const [id, createdAt] = [deps.newTaskId(), deps.now()];
  return (record) => {
    const { accountId, tokenId } = record.call.caller;
    const { model } = record.price;
    // Price of the request that was sent, which the reservation covers.
    const price = { ...record.price, model: { ...model, price: priceAt(model, lines) } };
    return {
      id,
      accountId,
      tokenId,
      model: model.name,
      channelId: route.candidate.channel.id,
      keyId: route.key.id,
      wire: accepted.wire,
      operation: accepted.operation,
      requested: { ...echo },
      callbackUrl: wanted.callbackUrl,
      callId: record.callId,
      costNanos: costOfUnits(price, units).toString(),
      draft: usageDraft({ ...record, price }, end, undefined, heldNanos),
      state: "queued",
      progress: 0,
      createdAt,
      deadlineAt: createdAt + deps.limits.lifetimeMs,
      polls: 0,
      misses: 0,
    };
  };
}

/** Settles a failed creation at zero, and returns its error. */
async function settleFailed(held: HeldMoney, error: unknown, sent: Outcome): Promise<unknown> {
  const { status, code } = asFailure(error);
  await held.settle({ ...sent, status, error: code });
  return error;
}
