import type { OpenAttempt } from "@modelgate/channels";
import { asFailure, type Units } from "@modelgate/contracts";
import type { StartedTask, VendorLink, CompleteAnswer } from "../answers/exchange.ts";
import type { AcceptedAnswer, CallRun } from "../call-run.ts";
import { sendHeartbeats } from "../pending-stream.ts";
import { cancelUnfinished } from "./cancel-unfinished.ts";
import { RouteLink } from "./route-link.ts";
import { deliverCompleteAnswer } from "./complete-answer.ts";

type TaskAnswer = Extract<AcceptedAnswer, { kind: "task" }>;
type JobAnswer = Extract<AcceptedAnswer, { kind: "job" }>;

/**
 * Waits for the end of a vendor's task, and sends its result. Throws Failure if the task fails before a byte was sent.
 */
export async function deliverTask(
  run: CallRun,
  attempted: OpenAttempt<AcceptedAnswer>,
  { task }: TaskAnswer,
): Promise<void> {
  const { usage, run: vendorRun } = task;
  const { call, lifetime } = run;
  // Without a client, only the task's usage is needed.
  if (lifetime.isClientGone && usage !== undefined)
    return await deliverCompleteAnswer(run, attempted, answerWithoutClient(usage));
  // Without a client, a task that can be cancelled is not waited for.
  const link = new RouteLink(run, attempted, vendorRun === undefined ? lifetime.signal : call.ending);
  let answer: CompleteAnswer;
  try {
    answer = await finishWithHeartbeats(run, attempted, task, link);
  } catch (error) {
    if (vendorRun === undefined) throw error;
    const used = await cancelUnfinished(run, vendorRun, link);
    if (!lifetime.isClientGone) throw error;
    answer = answerWithoutClient(used);
  }
  await deliverCompleteAnswer(run, attempted, answer);
}

function answerWithoutClient(usage: Units | undefined): CompleteAnswer {
  return { body: Buffer.alloc(0), usage };
}

/** Stores a job and its held money, and sends the answer. Throws Failure if the job could not be stored. */
export async function deliverJob(
  { call, heldMoney, outcome }: CallRun,
  attempted: OpenAttempt<AcceptedAnswer>,
  { job }: JobAnswer,
): Promise<void> {
  const body = await job.store(heldMoney, outcome);
  attempted[Symbol.dispose]();
  // If the gateway has ended the call meanwhile, the client has received an error. It finds the job in its list of
  // jobs.
  if (call.answer.isHeadSent) return;
  call.answer.begin(200, {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(body.length),
  });
  call.answer.end(body);
}

/** Waits for a task's answer, and sends heartbeats meanwhile. A failure is reported as one of the channel. */
async function finishWithHeartbeats(
  { deps, call, plan, lifetime }: CallRun,
  attempted: OpenAttempt<AcceptedAnswer>,
  task: StartedTask,
  vendor: VendorLink,
): Promise<CompleteAnswer> {
  using _waiting = plan.pendingStream && sendHeartbeats(call.answer, plan.pendingStream, deps.limits.heartbeatMs);
  try {
    return await task.finish(vendor);
  } catch (error) {
    const { code, status } = asFailure(error);
    if (status >= 500 && code.startsWith("upstream_") && !lifetime.signal.aborted) attempted.reportInterruption(code);
    throw error;
  }
}
