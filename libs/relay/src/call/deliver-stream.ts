import { formatUsd, headers, type Failure, type Nanos, type Outcome } from "@modelgate/contracts";
import { type AnswerSink, idsOf } from "@modelgate/platform";
import { CostTranslator } from "../answers/cost-translator.ts";
import { passStream, type StreamMoney } from "../answers/stream-pass.ts";
import type { StreamTranslator } from "../answers/stream-reader.ts";
import { Allowance, wroteBeyondBound } from "../money/allowance.ts";
import { StreamWatch } from "../money/call-metrics.ts";
import { upperCost } from "../money/expect.ts";
import { meterCut, meterStream, reportedUsage, unitsOfLeft } from "../money/metered.ts";
import { letGo, showAnswer, type Delivery } from "./delivery.ts";
import { clientLeft } from "./leaving.ts";
import type { Accepted } from "./send.ts";
import { streamHead } from "./waiting.ts";

type AcceptedStream = Extract<Accepted, { kind: "stream" }>;

/** Passes a stream to its client, and settles it when the vendor has ended it, before the client's last byte. */
export async function deliverStream(delivery: Delivery, { reader, held }: AcceptedStream): Promise<void> {
  const { deps, call, model, money, sent, meter, attempted } = delivery;
  using allowance = allowanceOf(delivery);
  const plain = reader.translator({ mayBeCut: allowance !== undefined });
  const translator = delivery.showsCost === true ? new CostTranslator(plain, (units) => money.costOf(units)) : plain;
  meter.readWith(translator);
  if (!call.answer.begun) {
    call.answer.announceTrailer(headers.cost);
    call.answer.begin(200, streamHead(translator.contentType));
  }
  const { provider, id: channel } = attempted.route.candidate.channel;
  const firstByteMs = (sent.firstByteAt ?? performance.now()) - money.heldAt;
  using watch = new StreamWatch(model.kind, provider, model.name, firstByteMs);
  let settled: Promise<void> | undefined;
  const end = await passStream({
    sink: call.answer,
    held,
    reader,
    translator,
    meter,
    requestId: call.requestId,
    heartbeatMs: deps.limits.heartbeatMs,
    gatherMs: deps.limits.gatherMs,
    watch,
    paid: allowance === undefined ? undefined : moneyOf(delivery, allowance),
    ending(failure, cut) {
      if (cut !== undefined) call.log.info(idsOf(call), "a stream was ended at its limit of money or size");
      if (failure === undefined) showAnswer(delivery, translator.last, cut !== undefined);
      else if (failure.code.startsWith("upstream_")) attempted.broke(failure.code);
      letGo(attempted);
      const isWhole = failure === undefined;
      if (cut !== undefined) settled = money.settle({ ...cut, outcome: "completed", status: 200, sent });
      else settled = settle(delivery, isWhole ? "completed" : "failed", failure);
      // Unknown by now where the vendor reported no usage: it is still counted then.
      if (money.chargedNanos !== undefined) call.answer.addTrailer(headers.cost, formatUsd(money.chargedNanos));
    },
  });
  if (allowance !== undefined && meter.hidesOutput) deps.unseen.set(model.name, true);
  if (end.outcome === "failed")
    call.log.warn({ ...idsOf(call), err: end.failure.cause ?? end.failure, channel }, "stream broke");
  await (settled ?? settle(delivery, end.outcome, end.outcome === "failed" ? end.failure : undefined));
}

/** Reads a stream whose client left before it began to its end, and settles it by what its vendor says that it used. */
export async function settleUnheard(delivery: Delivery, { reader, held }: AcceptedStream): Promise<void> {
  const { deps, cost, money, sent, meter, attempted, leaving, call } = delivery;
  const translator: StreamTranslator = reader.translator({ mayBeCut: false });
  meter.readWith(translator);
  const { outcome } = await passStream({
    sink: goneClient,
    held,
    reader,
    translator,
    meter,
    requestId: call.requestId,
    heartbeatMs: deps.limits.heartbeatMs,
    gatherMs: deps.limits.gatherMs,
    mostBytes: deps.limits.answerBytes,
    ending: () => undefined,
  });
  const { aborted } = leaving.ended;
  if (outcome === "failed" && !aborted) attempted.broke("upstream_error");
  const metered =
    aborted && !meter.any
      ? { units: await unitsOfLeft(cost, money.expected), estimated: true }
      : await meterStream(cost, meter, aborted ? "cancelled" : outcome);
  await money.settle({ ...metered, outcome: "cancelled", status: clientLeft, sent });
}

/** The sink of a client that has left. */
const goneClient: Pick<AnswerSink, "write" | "end" | "destroy" | "watch" | "full" | "closed"> = {
  full: false,
  closed: false,
  write: () => true,
  end: () => undefined,
  destroy: () => undefined,
  watch: () => ({ [Symbol.dispose]: () => undefined }),
};

/** Tracks how far a stream is paid for; undefined where all of it is, or it costs nothing, and nothing else bounds it. */
function allowanceOf({ cost, model, multiplier, money, meter }: Delivery): Allowance | undefined {
  const { output, most } = money.expected;
  if (output === undefined || cost.by !== "text") return undefined;
  const upper = (tokens: number): Nanos => upperCost(cost.size, model, multiplier, tokens);
  const isFree = upper(output.first + output.step) === upper(output.first);
  if (isFree && !Number.isFinite(output.most)) return undefined;
  return new Allowance({
    output: isFree ? { ...output, first: output.most } : output,
    meter,
    thoughtTokens: most?.besideTokens ?? 0,
    extend: (from, to) => money.extend(upper(to) - upper(from)),
  });
}

function moneyOf({ cost, money, meter }: Delivery, allowance: Allowance): StreamMoney {
  return {
    allowance,
    async meterCut(why) {
      const most = why === wroteBeyondBound ? money.expected.output?.most : undefined;
      return cost.by === "text" ? await meterCut(cost, meter, most) : await meterStream(cost, meter, "completed");
    },
  };
}

/** Settles a stream: at once where its usage was reported, so that money goes before the last byte; else once it is counted. */
async function settle(
  { cost, money, sent, meter }: Delivery,
  outcome: Outcome,
  failure: Failure | undefined,
): Promise<void> {
  const metered = reportedUsage(cost, meter, outcome) ?? (await meterStream(cost, meter, outcome));
  await money.settle({ ...metered, outcome, status: 200, sent, error: failure?.code });
}
