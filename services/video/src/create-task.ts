import type { TaskRecord } from "@modelgate/accounts";
import { asFailure, Failure, priceAt } from "@modelgate/contracts";
import { AttemptsFailed, type Attempted } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import { Bill, holdOrForget, priced, reportWay, type Priced } from "@modelgate/relay";
import { askedOf, type AskedVideo } from "@modelgate/wires/video";
import type { Deps } from "./deps.ts";
import { mostCost, unitsOf } from "./price-task.ts";
import { recordSurely } from "./record-task.ts";
import { startAtVendor, waysOf, type AskedTask, type Started } from "./start-task.ts";

/** A task as it was taken, and what its vendor could not be told. */
export interface CreatedTask {
  readonly task: TaskRecord;
  /** Fields of the request that were left out, as the client spells them. */
  readonly dropped: readonly string[];
}

/**
 * The life of a create: price → hold → start at a vendor, once → record with its first event. The hold stays open with
 * the task, and is settled by whoever sees it end. Throws Failure; nothing is charged then, and a start that the vendor
 * may have accepted without our knowing it is create_uncertain (502, not to be repeated).
 */
export async function createTask(deps: Deps, call: ServiceCall, asked: AskedTask): Promise<CreatedTask> {
  const price = pricedInWords(deps, call, asked);
  const ways = waysOf(deps, call, asked);
  const upperNanos = mostCost(asked, ways, price);
  // The floor is zero, unlike a text call's: a task that nobody knows of gives its client nothing, so it costs nothing,
  // even where its vendor has taken it and this service died before it could be recorded.
  const bill = new Bill(deps.relay, call, price, { upperNanos, floorNanos: 0n, floorUnits: {}, tokens: 0 });
  await holdOrForget(bill);
  using _renewal = deps.relay.renewals.keep({
    accountId: call.caller.accountId,
    callId: bill.callId,
    progress: () => ({
      floorNanos: 0n,
      draft: bill.draft({ units: {}, estimated: true, outcome: "failed", status: 0 }),
    }),
  });
  try {
    using attempted = await startAtVendor(deps, call, asked, { price, ways, callId: bill.callId });
    bill.went(attempted.way, attempted.tried);
    reportWay(deps.relay, call, attempted.tried);
    const task = recordOf(deps, call, asked, { price, bill, attempted });
    if (!(await recordSurely(deps, task))) throw new Failure("create_uncertain");
    tell(call, task);
    return { task, dropped: attempted.accepted.dropped };
  } catch (error) {
    if (error instanceof AttemptsFailed) reportWay(deps.relay, call, error.tried);
    throw await giveBack(bill, error);
  }
}

/** The model's price. Throws Failure where the caller may not call it, naming the field as the client's style spells it. */
function pricedInWords(deps: Deps, call: ServiceCall, { client, request }: AskedTask): Priced {
  try {
    return priced(deps.relay, call, request.model);
  } catch (error) {
    const param = client.spelling.model;
    if (param === undefined || !(error instanceof Failure) || error.param !== "model") throw error;
    throw new Failure(error.code, error.message, { param, cause: error });
  }
}

/** The one log line of a create that came to something; its transitions have lines of their own. */
function tell(
  { log, requestId }: ServiceCall,
  { id, accountId, tokenId, model, channelId, state, callId, costNanos }: TaskRecord,
): void {
  log.info(
    { requestId, taskId: id, callId, account: accountId, token: tokenId, model, channel: channelId, state, costNanos },
    "task",
  );
}

function recordOf(
  deps: Deps,
  { caller }: ServiceCall,
  asked: AskedTask,
  made: { readonly price: Priced; readonly bill: Bill; readonly attempted: Attempted<Started> },
): TaskRecord {
  const { price, bill, attempted } = made;
  const { accepted, way } = attempted;
  const { seconds, lines } = accepted.measure;
  const units = unitsOf(asked.request, accepted.measure);
  bill.pricedAt(priceAt(price.model, lines));
  const createdAt = deps.now();
  const echo: AskedVideo = { ...askedOf(asked.request, seconds), lines, remixOf: asked.remix?.id };
  return {
    id: deps.newTaskId(),
    accountId: caller.accountId,
    tokenId: caller.tokenId,
    model: price.model.name,
    channelId: way.candidate.channel.id,
    keyId: way.key.id,
    wire: accepted.wire,
    operation: accepted.operation,
    asked: { ...echo },
    callbackUrl: asked.callbackUrl,
    callId: bill.callId,
    costNanos: bill.costOf(units).toString(),
    draft: bill.draft({ units, estimated: false, outcome: "completed", status: 200 }),
    state: "queued",
    progress: 0,
    createdAt,
    deadlineAt: createdAt + deps.limits.lifetimeMs,
    looks: 0,
    misses: 0,
  };
}

/** Settles a create that came to nothing, and gives the failure that its client is told. */
async function giveBack(bill: Bill, error: unknown): Promise<unknown> {
  if (error instanceof AttemptsFailed) bill.went(error.way, error.tried);
  const failure = error instanceof AttemptsFailed ? error.failure : error;
  const { status, code } = asFailure(failure);
  await bill.settle({ units: {}, estimated: false, outcome: "failed", status, error: code });
  return failure;
}
