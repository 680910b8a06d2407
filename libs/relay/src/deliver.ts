import type { ServerResponse } from "node:http";
import type { Attempted } from "@modelgate/channels";
import { asFailure, headers, type Nanos, type Outcome } from "@modelgate/contracts";
import { answerJson, type ServiceCall } from "@modelgate/platform";
import type { Bill } from "./bill.ts";
import { Allowance } from "./allowance.ts";
import { StreamWatch } from "./call-metrics.ts";
import { deliverStream } from "./deliver-stream.ts";
import type { RelayDeps } from "./deps.ts";
import { upperCost } from "./expect.ts";
import type { CarriedAnswer, Exchange } from "./exchange.ts";
import type { Inlet } from "./inlet.ts";
import { meter, meterCut, meterWhole } from "./meter.ts";
import type { CallPlan } from "./plan.ts";
import type { Produced } from "./produced.ts";
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
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** Brings an answer to the client and settles the call: money first, the last byte after it. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { accepted } = delivery.attempted;
  tellDropped(delivery.call.response, accepted.exchange);
  tellWay(delivery.deps, delivery.call, delivery.attempted.tried);
  if ("whole" in accepted) await deliverWhole(delivery, accepted.exchange, accepted.whole);
  else await deliverFrames(delivery, accepted.exchange, accepted.stream);
}

async function deliverWhole(delivery: Delivery, exchange: Exchange, bytes: Buffer): Promise<void> {
  const { call, plan, bill, attempted } = delivery;
  const answer = await wholeInTime(delivery, exchange, bytes);
  letGo(attempted);
  const metered = await meterWhole(plan, answer.usage ?? exchange.usageOf(bytes), answer);
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

/** The vendor is done: its channel's seat is free before the client has its last byte, and may ask again. */
function letGo(attempted: Disposable): void {
  attempted[Symbol.dispose]();
}

/**
 * The client's form of a whole answer, with signs of life where it takes time. What cannot be read, or a task that
 * failed, counts against the channel.
 */
async function wholeInTime(delivery: Delivery, exchange: Exchange, bytes: Buffer): Promise<CarriedAnswer> {
  const { call, plan, deps } = delivery;
  using _waiting = keepWaiting(call, plan.waiting, deps.limits.heartbeatMs);
  try {
    return await exchange.whole(bytes, vendorLink(delivery, exchange));
  } catch (error) {
    const { code, status } = asFailure(error);
    if (status >= 500 && code.startsWith("upstream_") && !delivery.signal.aborted) delivery.attempted.broke(code);
    throw error;
  }
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
      : { paid: { more: () => allowance.more(), meter: () => meterCut(plan, produced) } }),
    ending(failure, cut) {
      if (cut !== undefined) call.log.info({ requestId: call.requestId }, "a stream was ended where its money ends");
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

/** How far a stream is paid for; undefined where all of it is, or none of it costs anything. */
function allowanceOf({ plan, bill, produced }: Delivery): Allowance | undefined {
  const { output } = bill.expected;
  const { size, model, multiplier } = plan;
  const upper = (tokens: number): Nanos => upperCost(size, model, multiplier, tokens);
  if (output === undefined || output.first >= output.most) return undefined;
  if (upper(output.first + output.step) === upper(output.first)) return undefined;
  return new Allowance({ output, produced, extend: (from, to) => bill.extend(upper(to) - upper(from)) });
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
