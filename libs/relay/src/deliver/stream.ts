import type { OpenAttempt } from "@modelgate/channels";
import { formatUsd, headers, type CallStatus, type Failure } from "@modelgate/contracts";
import { idsOf } from "@modelgate/platform";
import type { VendorRun } from "@modelgate/wires/text";
import { CostTranslator } from "../answers/cost-translator.ts";
import type { BufferedStream } from "../answers/buffered-stream.ts";
import type { StreamAnswerReader, StreamTranslator } from "../answers/stream-reader.ts";
import { finalAnswerOf, type AcceptedAnswer, type CallRun } from "../call-run.ts";
import { clientDisconnectedStatus } from "../exchange-lifetime.ts";
import { Allowance, outputLimitExceeded, type StreamStop } from "../money/allowance.ts";
import { StreamTimer } from "../money/call-metrics.ts";
import { maxTextCost } from "../money/expect.ts";
import type { Metered } from "../money/measure.ts";
import { meterEndedEarly, meterStream, reportedUsage, usageAfterDisconnect } from "../money/meter.ts";
import { beginStream } from "../pending-stream.ts";
import { cancelUnfinished, isUnfinished } from "./cancel-unfinished.ts";
import { RouteLink } from "./route-link.ts";
import { RunStream, type StreamSource } from "./run-stream.ts";
import { StreamForwarder, type StreamOwner, type StreamSink } from "./stream-forwarder.ts";

type AcceptedStream = Extract<AcceptedAnswer, { kind: "stream" }>;

/** Sends a stream to its client. The settlement begins before the client receives its last byte. */
export async function deliverStream(
  run: CallRun,
  attempted: OpenAttempt<AcceptedAnswer>,
  { reader, bufferedStream }: AcceptedStream,
): Promise<void> {
  const { deps, call, lifetime, meter, plan, serving } = run;
  using allowance = allowanceOf(run);
  const plain = reader.translator({ mayBeCut: allowance !== undefined });
  const translator =
    plan.showsCost === true ? new CostTranslator(plain, (units) => run.heldMoney.costOf(units)) : plain;
  meter.textExtractor = translator;
  if (!call.answer.isHeadSent) beginStream(call.answer, translator.contentType);
  const { provider } = attempted.route.candidate.channel;
  const firstByteMs = (run.outcome.firstByteAt ?? performance.now()) - run.heldMoney.heldAt;
  using timer = new StreamTimer(serving.model.kind, provider, serving.model.name, firstByteMs);
  const { heartbeatMs, gatherMs } = deps.limits;
  const { ending, requestId } = call;
  const background = reader.run && { run: reader.run, link: new RouteLink(run, attempted, lifetime.signal) };
  const owner = new StreamDelivery(run, attempted, { background, translator, allowance, timer });
  const { callStatus, failure } = await new StreamForwarder({
    sink: call.answer,
    source: background === undefined ? bufferedStream : resumableSource(bufferedStream, reader, background),
    reader,
    translator,
    meter,
    owner,
    ending,
    requestId,
    heartbeatMs,
    gatherMs,
  }).ended;
  if (allowance !== undefined && meter.hasHiddenOutput) deps.modelsWithHiddenOutput.set(serving.model.name, true);
  if (failure !== undefined) {
    const { id: channel } = attempted.route.candidate.channel;
    call.log.warn({ ...idsOf(call), err: failure.cause ?? failure, channel }, "stream broke");
  }
  await owner.stored;
  if (background !== undefined) await owner.cancel(background);
  await (owner.settled ?? settleStream(run, callStatus, failure));
}

/**
 * Reads a stream to its end although its client disconnected before the first byte. Settles the call by the usage that
 * the vendor reports, or by an estimate.
 */
export async function readDetachedStream(
  run: CallRun,
  attempted: OpenAttempt<AcceptedAnswer>,
  { reader, bufferedStream }: AcceptedStream,
): Promise<void> {
  const { deps, call, meter, lifetime } = run;
  const { heartbeatMs, gatherMs, answerBytes: maxBytes } = deps.limits;
  const translator = reader.translator({ mayBeCut: false });
  meter.textExtractor = translator;
  const { ending, requestId } = call;
  const sink = disconnectedSink;
  const background = reader.run && { run: reader.run, link: new RouteLink(run, attempted, lifetime.signal) };
  const forwarder = new StreamForwarder({
    sink,
    source: background === undefined ? bufferedStream : resumableSource(bufferedStream, reader, background),
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
  // The vendor reports the usage of a cancelled answer at the end of its stream.
  if (background !== undefined) await cancelAnswer(run, background);
  const { callStatus } = await forwarder.ended;
  const { aborted } = lifetime.signal;
  if (callStatus === "failed" && !aborted) attempted.reportInterruption("upstream_error");
  await run.settle(await meterRun(run, aborted ? "cancelled" : callStatus), "cancelled", clientDisconnectedStatus);
}

interface ResumableAnswer {
  readonly run: VendorRun;
  readonly link: RouteLink;
}

/** Wraps the stream of a background answer, so that it is resumed if its connection breaks. */
function resumableSource(
  first: BufferedStream,
  { framing }: StreamAnswerReader,
  { run, link }: ResumableAnswer,
): StreamSource {
  return new RunStream(first, { framing, run }, link);
}

/**
 * Cancels a background answer that has not ended, and meters the usage that the vendor reports. Returns true if it
 * reported usage.
 */
async function cancelAnswer(run: CallRun, { run: vendorRun, link }: ResumableAnswer): Promise<boolean> {
  const used = await cancelUnfinished(run, vendorRun, link);
  if (used !== undefined) run.meter.report(used);
  return used !== undefined;
}

const disconnectedSink: StreamSink = {
  isFull: false,
  isClosed: false,
  write: () => true,
  end: () => undefined,
  destroy: () => undefined,
  watch: () => ({ [Symbol.dispose]: () => undefined }),
};

interface StreamParts {
  /** Answer that the vendor generates in the background. Undefined for any other answer. */
  readonly background: ResumableAnswer | undefined;
  readonly translator: StreamTranslator;
  readonly allowance: Allowance | undefined;
  readonly timer: StreamTimer;
}

class StreamDelivery implements StreamOwner {
  readonly allowance: Allowance | undefined;
  readonly timer: StreamTimer;
  settled: Promise<void> | undefined;
  /** Promise of `CallKind.onFinalAnswer`, for which the client's last byte waits. */
  stored: Promise<void> | undefined;
  readonly #run: CallRun;
  readonly #attempted: OpenAttempt<AcceptedAnswer>;
  readonly #parts: StreamParts;
  #cancelling: Promise<boolean> | undefined;

  constructor(run: CallRun, attempted: OpenAttempt<AcceptedAnswer>, parts: StreamParts) {
    this.allowance = parts.allowance;
    this.timer = parts.timer;
    this.#run = run;
    this.#attempted = attempted;
    this.#parts = parts;
  }

  async meterEndedEarly(reason: StreamStop): Promise<Metered> {
    const { plan, meter, heldMoney } = this.#run;
    const max = reason === outputLimitExceeded ? heldMoney.expected.output?.max : undefined;
    return plan.cost.by === "text"
      ? await meterEndedEarly(plan.cost, meter, max)
      : await meterStream(plan.cost, meter, "completed");
  }

  onVendorEnd(failure: Failure | undefined, cut?: Metered): Promise<void> | undefined {
    const { call, heldMoney, kind, plan } = this.#run;
    const attempted = this.#attempted;
    if (cut !== undefined) call.log.info(idsOf(call), "a stream was ended at its limit of money or size");
    if (failure === undefined) {
      this.stored = kind.onFinalAnswer?.(
        plan,
        finalAnswerOf(attempted, this.#parts.translator.last, cut !== undefined),
      );
    } else if (failure.code.startsWith("upstream_")) attempted.reportInterruption(failure.code);
    // The vendor has finished, so its channel may serve another call before the client has received the last byte.
    attempted[Symbol.dispose]();
    const isBrokenOff = failure !== undefined || cut !== undefined;
    const { background } = this.#parts;
    if (isBrokenOff && background !== undefined && isUnfinished(background.run))
      this.settled = this.#settleCancelled(background, failure, cut);
    else if (cut !== undefined) this.settled = this.#run.settle(cut, "completed", 200);
    else this.settled = settleStream(this.#run, failure === undefined ? "completed" : "failed", failure);
    // The charge is unknown while tokens are still counted.
    if (heldMoney.chargedNanos !== undefined) call.answer.addTrailer(headers.cost, formatUsd(heldMoney.chargedNanos));
    return this.stored;
  }

  /** Cancels an unfinished answer and meters its usage, at the first call only. Never rejects. */
  cancel(background: ResumableAnswer): Promise<boolean> {
    return (this.#cancelling ??= cancelAnswer(this.#run, background));
  }

  /**
   * Cancels a background answer whose stream ended earlier, and charges the usage that the vendor reports for it. The
   * client does not wait for this.
   */
  async #settleCancelled(
    background: ResumableAnswer,
    failure: Failure | undefined,
    cut: Metered | undefined,
  ): Promise<void> {
    const { meter, plan } = this.#run;
    const isReported = await this.cancel(background);
    if (cut === undefined) return await settleStream(this.#run, "failed", failure);
    const reported = isReported ? reportedUsage(plan.cost, meter, "completed") : undefined;
    await this.#run.settle(reported ?? cut, "completed", 200);
  }
}

/** Creates the allowance of a stream. Returns undefined if the hold covers all output. */
function allowanceOf({ plan: { cost }, serving, heldMoney, meter }: CallRun): Allowance | undefined {
  const { output, bound: max } = heldMoney.expected;
  if (output === undefined || cost.by !== "text") return undefined;
  const { size } = cost;
  const { model, multiplier } = serving;
  const areExtensionsFree =
    maxTextCost(size, model, multiplier, output.first + output.step) ===
    maxTextCost(size, model, multiplier, output.first);
  if (areExtensionsFree && !Number.isFinite(output.max)) return undefined;
  return new Allowance({
    output: areExtensionsFree ? { ...output, first: output.max } : output,
    meter,
    extraReasoningTokens: max?.extraTokens ?? 0,
    extend: (from, to) =>
      heldMoney.extend(maxTextCost(size, model, multiplier, to) - maxTextCost(size, model, multiplier, from)),
  });
}

/** Settles a stream: before the last byte if its usage was reported, otherwise after its tokens are counted. */
async function settleStream(run: CallRun, callStatus: CallStatus, failure: Failure | undefined): Promise<void> {
  const metered = reportedUsage(run.plan.cost, run.meter, callStatus) ?? (await meterRun(run, callStatus));
  await run.settle(metered, callStatus, 200, failure?.code);
}

/** Returns the usage of a stream. A client that disconnected before any output pays `usageAfterDisconnect`. */
async function meterRun({ meter, plan, heldMoney }: CallRun, callStatus: CallStatus): Promise<Metered> {
  if (callStatus !== "cancelled" || meter.hasData) return await meterStream(plan.cost, meter, callStatus);
  return { units: await usageAfterDisconnect(plan.cost, heldMoney.expected), estimated: true };
}
