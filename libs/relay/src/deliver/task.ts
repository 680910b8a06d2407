import type { OpenAttempt } from "@modelgate/channels";
import { asFailure, type Units } from "@modelgate/contracts";
import type { StartedTask, VendorLink, WholeAnswer } from "../answers/exchange.ts";
import type { Accepted, CallRun } from "../call-run.ts";
import { keepWaiting } from "../waiting.ts";
import { cancelUnfinished } from "./cancel-unfinished.ts";
import { RouteLink } from "./route-link.ts";
import { deliverWhole } from "./whole.ts";

type TaskAnswer = Extract<Accepted, { kind: "task" }>;
type JobAnswer = Extract<Accepted, { kind: "job" }>;

/**
 * Waits until a vendor's task has finished, and sends its result. Throws Failure if the task fails before a byte was
 * sent.
 */
export async function deliverTask(run: CallRun, attempted: OpenAttempt<Accepted>, { task }: TaskAnswer): Promise<void> {
  const { usage, run: vendorRun } = task;
  const { call, leaving } = run;
  // A client that disconnected receives no answer; only the task's usage is still needed.
  if (leaving.isClientGone && usage !== undefined) return await deliverWhole(run, attempted, unseen(usage));
  // A task that can be cancelled is not waited for after its client has disconnected.
  const link = new RouteLink(run, attempted, vendorRun === undefined ? leaving.ended : call.ending);
  let answer: WholeAnswer;
  try {
    answer = await finish(run, attempted, task, link);
  } catch (error) {
    if (vendorRun === undefined) throw error;
    const used = await cancelUnfinished(run, vendorRun, link);
    if (!leaving.isClientGone) throw error;
    answer = unseen(used);
  }
  await deliverWhole(run, attempted, answer);
}

/** Creates the answer of a call whose client has disconnected. */
function unseen(usage: Units | undefined): WholeAnswer {
  return { body: Buffer.alloc(0), usage };
}

/**
 * Stores a job that its vendor has started, together with its held money, and sends the answer. Throws Failure if the
 * job could not be stored.
 */
export async function deliverJob(
  { call, held, outcome }: CallRun,
  attempted: OpenAttempt<Accepted>,
  { job }: JobAnswer,
): Promise<void> {
  const body = await job.store(held, outcome);
  attempted[Symbol.dispose]();
  // If the gateway has ended the call meanwhile, the client has received an error. It finds the job in its list of jobs.
  if (call.answer.headSent) return;
  call.answer.begin(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(body.length),
  });
  call.answer.end(body);
}

/**
 * Waits for a task's answer and sends heartbeats to the client meanwhile. A failed task, or a file that cannot be
 * fetched, counts against the channel.
 */
async function finish(
  { deps, call, plan, leaving }: CallRun,
  attempted: OpenAttempt<Accepted>,
  task: StartedTask,
  vendor: VendorLink,
): Promise<WholeAnswer> {
  using _waiting = plan.waiting && keepWaiting(call.answer, plan.waiting, deps.limits.heartbeatMs);
  try {
    return await task.finish(vendor);
  } catch (error) {
    const { code, status } = asFailure(error);
    if (status >= 500 && code.startsWith("upstream_") && !leaving.ended.aborted) attempted.reportInterruption(code);
    throw error;
  }
}
