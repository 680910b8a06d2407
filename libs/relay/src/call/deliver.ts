import type { ServerResponse } from "node:http";
import type { Attempted } from "@modelgate/channels";
import { asFailure, headers, type Nanos, type Outcome } from "@modelgate/contracts";
import { answerJson, type ServiceCall } from "@modelgate/platform";
import type { Bill } from "../money/bill.ts";
import { Allowance, wroteBeyondBound } from "../money/allowance.ts";
import { StreamWatch } from "../money/call-metrics.ts";
import { deliverStream } from "../answers/stream-pass.ts";
import type { RelayDeps } from "../deps.ts";
import { upperCost } from "../money/expect.ts";
import type { CarriedAnswer, Exchange, ReadAnswer } from "../answers/exchange.ts";
import { hearOut } from "./hear-out.ts";
import type { Inlet } from "../answers/held-stream.ts";
import { clientLeft, type Leaving } from "./leaving.ts";
import { meter, meterCut, meterWhole, unitsOfLeft } from "../money/metered.ts";
import type { CallPlan } from "./plan.ts";
import type { Produced } from "../money/meter.ts";
import type { Accepted } from "./send.ts";
import { tellWay } from "./tell-way.ts";
import { vendorLink } from "./vendor-link.ts";
import { keepWaiting, streamHead } from "./waiting.ts";

/** An answer on its way to the client, with all that its bill needs. */
export interface Delivery {
  readonly deps: RelayDeps;
  readonly call: ServiceCall;
  readonly plan: CallPlan;
  readonly bill: Bill;
  readonly produced: Produced;
  readonly attempted: Attempted<Accepted>;
  readonly leaving: Leaving;
  /** Aborted when the exchange is to end. */
  readonly signal: AbortSignal;
}

/** Brings an answer to the client and settles the call: money first, the last byte after it. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { accepted } = delivery.attempted;
  tellDropped(delivery.call.response, accepted.exchange);
  tellWay(delivery.deps, delivery.call, delivery.attempted.tried);
  if ("whole" in accepted) await deliverWhole(delivery, accepted.exchange, accepted.whole);
  else if (delivery.leaving.isClientGone) await settleHeard(delivery, accepted.exchange, accepted.stream);
  else await deliverFrames(delivery, accepted.exchange, accepted.stream);
}

async function deliverWhole(delivery: Delivery, exchange: Exchange, read: ReadAnswer): Promise<void> {
  const { call, plan, bill, attempted } = delivery;
  const isKnown = delivery.leaving.isClientGone && read.usage !== undefined;
  const answer = isKnown ? notCarried : await wholeInTime(delivery, exchange, read);
  letGo(attempted);
  plan.fees?.saw(read.fees);
  const metered = await meterWhole(plan, answer.usage ?? read.usage, answer);
  if (delivery.leaving.isClientGone) return await bill.settle({ ...metered, outcome: "cancelled", status: clientLeft });
  const settled = bill.settle({ ...metered, outcome: "completed", status: 200 });
  told(delivery, exchange, answer.json, false);
  if (call.response.headersSent) call.response.end(answer.json);
  else
    answerJson(
      call.response,
      200,
      answer.json,
      answer.contentType === undefined ? {} : { "content-type": answer.contentType },
    );
  await settled;
}

/** The answer to a client that has left, where its usage is known. */
const notCarried: CarriedAnswer = { json: Buffer.alloc(0), words: () => "" };

/** The vendor is done: its channel's seat is free before the client has its last byte, and may ask again. */
function letGo(attempted: Disposable): void {
  attempted[Symbol.dispose]();
}

/**
 * The client's form of a whole answer, with signs of life where it takes time. A task that failed, or a file that cannot
 * be fetched, counts against the channel.
 */
async function wholeInTime(delivery: Delivery, exchange: Exchange, read: ReadAnswer): Promise<CarriedAnswer> {
  const { call, plan, deps } = delivery;
  using _waiting = keepWaiting(call, plan.waiting, deps.limits.heartbeatMs);
  try {
    return await read.carry(vendorLink(delivery, exchange));
  } catch (error) {
    const { code, status } = asFailure(error);
    if (status >= 500 && code.startsWith("upstream_") && !delivery.signal.aborted) delivery.attempted.broke(code);
    throw error;
  }
}

/** Settles a stream whose client left before it began, by what the vendor says of it. */
async function settleHeard(delivery: Delivery, exchange: Exchange, inlet: Inlet): Promise<void> {
  const { deps, plan, bill, produced, attempted, signal } = delivery;
  const end = await hearOut(inlet, exchange.stream(produced), deps.limits.answerBytes);
  if (end === "failed" && !signal.aborted) attempted.broke("upstream_error");
  const left = signal.aborted && !produced.any;
  const metered = left
    ? { units: await unitsOfLeft(plan, bill), estimated: true }
    : await meter(plan, produced, signal.aborted ? "cancelled" : end);
  await bill.settle({ ...metered, outcome: "cancelled", status: clientLeft });
}

async function deliverFrames(delivery: Delivery, exchange: Exchange, inlet: Inlet): Promise<void> {
  const { deps, call, plan, bill, produced, attempted } = delivery;
  using allowance = allowanceOf(delivery);
  const carrier = exchange.stream(produced, allowance);
  if (!call.response.headersSent) call.response.writeHead(200, streamHead(carrier.contentType));
  let settled: Promise<void> | undefined;
  const { provider } = attempted.way.candidate.channel;
  using watch = new StreamWatch(plan.model.kind, provider, plan.model.name, bill.firstByteMs);
  const end = await deliverStream({
    response: call.response,
    inlet,
    carrier,
    requestId: call.requestId,
    heartbeatMs: deps.limits.heartbeatMs,
    watch,
    ...(allowance === undefined
      ? {}
      : {
          paid: {
            more: () => allowance.more(),
            meter: (why) => meterCut(plan, produced, why === wroteBeyondBound ? bill.expected.output?.most : undefined),
          },
        }),
    ending(failure, cut) {
      if (cut !== undefined)
        call.log.info({ requestId: call.requestId }, "a stream was ended where its money or its bound ends");
      if (failure === undefined) told(delivery, exchange, carrier.last, cut !== undefined);
      else if (failure.code.startsWith("upstream_")) attempted.broke(failure.code);
      letGo(attempted);
      const whole = plan.measure === undefined && failure === undefined ? produced.usage : undefined;
      if (cut !== undefined) settled = bill.settle({ ...cut, outcome: "completed", status: 200 });
      else if (whole === undefined) settled = settleMetered(delivery, failure === undefined ? "completed" : "failed");
      else
        settled = bill.settle({
          units: { requests: 1, ...whole },
          estimated: false,
          outcome: "completed",
          status: 200,
        });
    },
  });
  if (allowance !== undefined && produced.hidesOutput) deps.unseen.add(plan.model.name);
  if (end.outcome === "failed")
    call.log.warn(
      { err: end.failure.cause ?? end.failure, requestId: call.requestId, channel: attempted.way.candidate.channel.id },
      "stream broke",
    );
  settled ??= settleMetered(delivery, end.outcome);
  await settled;
}

/** How far a stream may go; undefined where all of it is paid for, or costs nothing, and nothing else bounds it. */
function allowanceOf({ plan, bill, produced }: Delivery): Allowance | undefined {
  const { output, most } = bill.expected;
  if (output === undefined) return undefined;
  const { size, model, multiplier } = plan;
  const upper = (tokens: number): Nanos => upperCost(size, model, multiplier, tokens);
  const isFree = upper(output.first + output.step) === upper(output.first);
  if (isFree && !Number.isFinite(output.most)) return undefined;
  return new Allowance({
    output: isFree ? { ...output, first: output.most } : output,
    produced,
    thoughtTokens: most?.besideTokens ?? 0,
    extend: (from, to) => bill.extend(upper(to) - upper(from)),
  });
}

async function settleMetered({ plan, bill, produced }: Delivery, outcome: Outcome): Promise<void> {
  await bill.settle({ ...(await meter(plan, produced, outcome)), outcome, status: 200 });
}

function told(
  { plan, attempted: { way } }: Delivery,
  { wire }: Exchange,
  answer: Buffer | string,
  isCut: boolean,
): void {
  if (plan.answered === undefined) return;
  plan.answered({ text: answer.toString(), place: `${way.candidate.channel.id}/${way.key.id}`, wire, isCut });
}

/** Longest header; more names than fit are told by an ellipsis. */
const mostNamed = 1_000;

/** Names what the vendor could not take. The names come from the client: only what a header may hold goes back. */
export function tellDropped(response: ServerResponse, { dropped }: Pick<Exchange, "dropped">): void {
  if (dropped.length === 0 || response.headersSent) return;
  const names = dropped.map((name) => name.replaceAll(/[^\w.[\]-]/g, "?")).join(", ");
  response.setHeader(headers.dropped, names.length > mostNamed ? `${names.slice(0, mostNamed)}...` : names);
}
