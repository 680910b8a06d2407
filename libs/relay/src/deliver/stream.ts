import type { OpenAttempt } from "@modelgate/channels";
import { formatUsd, headers, type CallStatus, type Failure } from "@modelgate/contracts";
import { idsOf } from "@modelgate/platform";
import type { VendorRun } from "@modelgate/wires/text";
import { CostTranslator } from "../answers/cost-translator.ts";
import type { HeldStream } from "../answers/held-stream.ts";
import type { StreamAnswerReader, StreamTranslator } from "../answers/stream-reader.ts";
import { shownAnswer, type Accepted, type CallRun } from "../call-run.ts";
import { clientLeft } from "../leaving.ts";
import { Allowance, wroteBeyondBound, type StreamStop } from "../money/allowance.ts";
import { StreamWatch } from "../money/call-metrics.ts";
import { upperCost } from "../money/expect.ts";
import type { Metered } from "../money/measure.ts";
import { meterCut, meterStream, reportedUsage, unitsOfLeft } from "../money/meter.ts";
import { streamHeaders } from "../waiting.ts";
import { cancelUnfinished, isUnfinished } from "./cancel-unfinished.ts";
import { RouteLink } from "./route-link.ts";
import { RunStream, type StreamSource } from "./run-stream.ts";
import { StreamPass, type StreamOwner, type StreamSink } from "./stream-pass.ts";

type AcceptedStream = Extract<Accepted, { kind: "stream" }>;

/**
 * Passes a stream to its client. Settles the call when the vendor's stream has ended, before the client receives its
 * last byte.
 */
export async function deliverStream(
  run: CallRun,
  attempted: OpenAttempt<Accepted>,
  { reader, held }: AcceptedStream,
): Promise<void> {
  const { deps, call, leaving, meter, plan, serving } = run;
  using allowance = allowanceOf(run);
  const plain = reader.translator({ mayBeCut: allowance !== undefined });
  const translator = plan.showsCost === true ? new CostTranslator(plain, (units) => run.held.costOf(units)) : plain;
  meter.reader = translator;
  if (!call.answer.headSent) {
    call.answer.announceTrailer(headers.cost);
    call.answer.begin(200, { "content-type": translator.contentType, ...streamHeaders });
  }
  const { provider } = attempted.route.candidate.channel;
  const firstByteMs = (run.outcome.firstByteAt ?? performance.now()) - run.held.heldAt;
  using watch = new StreamWatch(serving.model.kind, provider, serving.model.name, firstByteMs);
  const { heartbeatMs, gatherMs } = deps.limits;
  const { ending, requestId } = call;
  const background = reader.run && { run: reader.run, link: new RouteLink(run, attempted, leaving.ended) };
  const owner = new StreamDelivery(run, attempted, { background, translator, allowance, watch });
  const { ended, failure } = await new StreamPass({
    sink: call.answer,
    held: background === undefined ? held : resumed(held, reader, background),
    reader,
    translator,
    meter,
    owner,
    ending,
    requestId,
    heartbeatMs,
    gatherMs,
  }).ended;
  if (allowance !== undefined && meter.hidesOutput) deps.unseen.set(serving.model.name, true);
  if (failure !== undefined) {
    const { id: channel } = attempted.route.candidate.channel;
    call.log.warn({ ...idsOf(call), err: failure.cause ?? failure, channel }, "stream broke");
  }
  await owner.stored;
  if (background !== undefined) await owner.cancel(background);
  await (owner.settled ?? settle(run, ended, failure));
}

/**
 * Reads a stream to its end after its client disconnected before the first byte. Settles the call by the usage that the
 * vendor reports.
 */
export async function settleDetached(
  run: CallRun,
  attempted: OpenAttempt<Accepted>,
  { reader, held }: AcceptedStream,
): Promise<void> {
  const { deps, call, meter, plan, leaving } = run;
  const { heartbeatMs, gatherMs, answerBytes: maxBytes } = deps.limits;
  const translator = reader.translator({ mayBeCut: false });
  meter.reader = translator;
  const { ending, requestId } = call;
  const sink = goneClient;
  const background = reader.run && { run: reader.run, link: new RouteLink(run, attempted, leaving.ended) };
  const pass = new StreamPass({
    sink,
    held: background === undefined ? held : resumed(held, reader, background),
    reader,
    translator,
    meter,
    owner: undefined,
    ending,
    requestId,
    heartbeatMs,
    gatherMs,
    maxBytes,
  });
  // The stream of a cancelled answer ends with its usage.
  if (background !== undefined) await cancelAnswer(run, background);
  const { ended } = await pass.ended;
  const { aborted } = leaving.ended;
  if (ended === "failed" && !aborted) attempted.reportInterruption("upstream_error");
  const metered =
    aborted && !meter.any
      ? { units: await unitsOfLeft(plan.cost, run.held.expected), estimated: true }
      : await meterStream(plan.cost, meter, aborted ? "cancelled" : ended);
  await run.settle(metered, "cancelled", clientLeft);
}

/** An answer that its vendor generates in the background, and the link to the vendor. */
interface ResumableAnswer {
  readonly run: VendorRun;
  readonly link: RouteLink;
}

/** Returns the stream of an answer in the background. It is resumed if it breaks. */
function resumed(held: HeldStream, { framing }: StreamAnswerReader, { run, link }: ResumableAnswer): StreamSource {
  return new RunStream(held, { framing, run }, link);
}

/**
 * Cancels an answer at its vendor if it is not complete. Meters the usage that the vendor reports, and returns whether
 * it reported any.
 */
async function cancelAnswer(run: CallRun, { run: vendorRun, link }: ResumableAnswer): Promise<boolean> {
  const used = await cancelUnfinished(run, vendorRun, link);
  if (used !== undefined) run.meter.report(used);
  return used !== undefined;
}

/** Sink in place of a client that has disconnected; it drops everything. */
const goneClient: StreamSink = {
  full: false,
  closed: false,
  write: () => true,
  end: () => undefined,
  destroy: () => undefined,
  watch: () => ({ [Symbol.dispose]: () => undefined }),
};

/** Constructor arguments of `StreamDelivery`. */
interface StreamParts {
  /** Undefined if the answer ends with its connection. */
  readonly background: ResumableAnswer | undefined;
  readonly translator: StreamTranslator;
  readonly allowance: Allowance | undefined;
  readonly watch: StreamWatch;
}

/** Owner of a stream that a client receives: the money that covers it, and its settlement. */
class StreamDelivery implements StreamOwner {
  readonly allowance: Allowance | undefined;
  readonly watch: StreamWatch;
  /** The settlement; undefined until it has begun. */
  settled: Promise<void> | undefined;
  /** Work of the call's kind that must finish before the client receives the last byte. */
  stored: Promise<void> | undefined;
  readonly #run: CallRun;
  readonly #attempted: OpenAttempt<Accepted>;
  readonly #parts: StreamParts;
  #cancelling: Promise<boolean> | undefined;

  constructor(run: CallRun, attempted: OpenAttempt<Accepted>, parts: StreamParts) {
    this.allowance = parts.allowance;
    this.watch = parts.watch;
    this.#run = run;
    this.#attempted = attempted;
    this.#parts = parts;
  }

  async meterCut(reason: StreamStop): Promise<Metered> {
    const { plan, meter, held } = this.#run;
    const max = reason === wroteBeyondBound ? held.expected.output?.max : undefined;
    return plan.cost.by === "text"
      ? await meterCut(plan.cost, meter, max)
      : await meterStream(plan.cost, meter, "completed");
  }

  ended(failure: Failure | undefined, cut?: Metered): Promise<void> | undefined {
    const { call, held, kind, plan } = this.#run;
    const attempted = this.#attempted;
    if (cut !== undefined) call.log.info(idsOf(call), "a stream was ended at its limit of money or size");
    if (failure === undefined) {
      this.stored = kind.answered?.(plan, shownAnswer(attempted, this.#parts.translator.last, cut !== undefined));
    } else if (failure.code.startsWith("upstream_")) attempted.reportInterruption(failure.code);
    // The vendor has finished, so its channel may serve another call before the client has received the last byte.
    attempted[Symbol.dispose]();
    const isBrokenOff = failure !== undefined || cut !== undefined;
    const { background } = this.#parts;
    if (isBrokenOff && background !== undefined && isUnfinished(background.run))
      this.settled = this.#settleCancelled(background, failure, cut);
    else if (cut !== undefined) this.settled = this.#run.settle(cut, "completed", 200);
    else this.settled = settle(this.#run, failure === undefined ? "completed" : "failed", failure);
    // The charge is still unknown if the vendor reported no usage, because the tokens are then being counted.
    if (held.chargedNanos !== undefined) call.answer.addTrailer(headers.cost, formatUsd(held.chargedNanos));
    return this.stored;
  }

  /** Cancels an unfinished answer at its vendor and meters its usage, at the first call only. Never rejects. */
  cancel(background: ResumableAnswer): Promise<boolean> {
    return (this.#cancelling ??= cancelAnswer(this.#run, background));
  }

  /**
   * Settles a stream that ended before its vendor's answer, by the usage that the vendor reports when the answer is
   * cancelled. The client does not wait for this. `RouteLink.cancel` limits the time.
   */
  async #settleCancelled(
    background: ResumableAnswer,
    failure: Failure | undefined,
    cut: Metered | undefined,
  ): Promise<void> {
    const { meter, plan } = this.#run;
    const isReported = await this.cancel(background);
    if (cut === undefined) return await settle(this.#run, "failed", failure);
    const reported = isReported ? reportedUsage(plan.cost, meter, "completed") : undefined;
    await this.#run.settle(reported ?? cut, "completed", 200);
  }
}

/**
 * Creates the allowance that limits a stream to the money that is held. Returns undefined if the output is free or not
 * billed by text, and needs no other limit.
 */
function allowanceOf({ plan: { cost }, serving, held, meter }: CallRun): Allowance | undefined {
  const { output, bound: max } = held.expected;
  if (output === undefined || cost.by !== "text") return undefined;
  const { size } = cost;
  const { model, multiplier } = serving;
  const isFree =
    upperCost(size, model, multiplier, output.first + output.step) === upperCost(size, model, multiplier, output.first);
  if (isFree && !Number.isFinite(output.max)) return undefined;
  return new Allowance({
    output: isFree ? { ...output, first: output.max } : output,
    meter,
    extraReasoningTokens: max?.extraTokens ?? 0,
    extend: (from, to) =>
      held.extend(upperCost(size, model, multiplier, to) - upperCost(size, model, multiplier, from)),
  });
}

/**
 * Settles a stream: immediately if its usage was reported, so that this happens before the last byte; otherwise after
 * its tokens are counted.
 */
async function settle(run: CallRun, ended: CallStatus, failure: Failure | undefined): Promise<void> {
  const { meter, plan } = run;
  const metered = reportedUsage(plan.cost, meter, ended) ?? (await meterStream(plan.cost, meter, ended));
  await run.settle(metered, ended, 200, failure?.code);
}
