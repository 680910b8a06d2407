import { readText, type OpenAttempt } from "@modelgate/channels";
import { asFailure, Failure } from "@modelgate/contracts";
import { signRequest, type VendorRequest } from "@modelgate/providers";
import type { StartedTask, VendorLink, WholeAnswer } from "../answers/exchange.ts";
import type { UpstreamHead } from "../answers/stream-reader.ts";
import { collect } from "../answers/whole-answer.ts";
import { requestFor } from "../attempt.ts";
import type { Accepted, CallRun } from "../call-run.ts";
import { keepWaiting } from "../waiting.ts";
import { deliverWhole } from "./whole.ts";

type TaskAnswer = Extract<Accepted, { kind: "task" }>;
type JobAnswer = Extract<Accepted, { kind: "job" }>;

/** Maximum bytes that are read of an answer with an error status. */
const errorBodyBytes = 64 * 1024;

/**
 * Waits until a vendor's task has finished, and sends its result. Throws Failure if the task fails before a byte was
 * sent.
 */
export async function deliverTask(
  run: CallRun,
  attempted: OpenAttempt<Accepted>,
  { exchange, task }: TaskAnswer,
): Promise<void> {
  const { usage } = task;
  // A client that disconnected receives no answer; only the task's usage is still needed.
  const isKnown = run.leaving.isClientGone && usage !== undefined;
  const answer = isKnown
    ? { body: Buffer.alloc(0), usage }
    : await finish(run, attempted, task, new RouteLink(run, attempted, exchange));
  await deliverWhole(run, attempted, answer);
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
  const body = await job.keep(held, outcome);
  attempted[Symbol.dispose]();
  // If the gateway has ended the call meanwhile, the client has received an error. It finds the job in its list of jobs.
  if (call.answer.begun) return;
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
    if (status >= 500 && code.startsWith("upstream_") && !leaving.ended.aborted) attempted.broke(code);
    throw error;
  }
}

/** Sends further requests of a call to the vendor that answered, with the same API key. */
class RouteLink implements VendorLink {
  readonly origin: string;
  readonly signal: AbortSignal;
  readonly #run: CallRun;
  readonly #route: OpenAttempt<Accepted>["route"];
  readonly #exchange: Accepted["exchange"];

  constructor(run: CallRun, { route }: OpenAttempt<Accepted>, exchange: Accepted["exchange"]) {
    this.#run = run;
    this.#route = route;
    this.#exchange = exchange;
    this.origin = new URL(route.candidate.channel.baseUrl).origin;
    this.signal = run.leaving.ended;
  }

  async poll(task: string): Promise<Buffer> {
    const { candidate, key, provider } = this.#route;
    const { baseUrl } = candidate.channel;
    const { requestId } = this.#run.call;
    const { wire } = this.#exchange;
    const poll = { act: "poll", baseUrl, key: key.secret, nowMs: Date.now(), requestId, wire, task } as const;
    return (await this.#answerTo(provider.request(poll))).bytes;
  }

  send(body: Buffer): Promise<UpstreamHead & { readonly bytes: Buffer }> {
    const { call, plan } = this.#run;
    const { wire, headers, query } = this.#exchange;
    return this.#answerTo(requestFor(call, plan.forward, this.#route, { wire, headers, query, body, streams: false }));
  }

  async #answerTo(request: VendorRequest): Promise<UpstreamHead & { readonly bytes: Buffer }> {
    const { channels, limits, budget } = this.#run.deps;
    const { candidate, key, provider } = this.#route;
    const { baseUrl, timeoutMs } = candidate.channel;
    const signing = signRequest(provider, request, { baseUrl, key: key.secret, nowMs: Date.now() });
    const answer = await reach(signing.then((whole) => channels.transport.send({ ...whole, timeoutMs }, this.signal)));
    const { headers } = answer;
    if (answer.status < 300) return { headers, bytes: await collect(answer, limits.answerBytes, budget) };
    const { code, message } = provider.failureOf(answer.status, await readText(answer, errorBodyBytes));
    throw new Failure(code, message);
  }
}

async function reach<Answer>(sent: Promise<Answer>): Promise<Answer> {
  try {
    return await sent;
  } catch (cause) {
    throw new Failure("upstream_error", "The vendor takes no further request of this call.", { cause });
  }
}
