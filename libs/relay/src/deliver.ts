import type { Attempted } from "@modelgate/channels";
import { answerJson, type ServiceCall } from "@modelgate/platform";
import type { Bill } from "./bill.ts";
import { deliverStream } from "./deliver-stream.ts";
import type { RelayDeps } from "./deps.ts";
import { gearOf } from "./gear.ts";
import type { Inlet } from "./inlet.ts";
import { estimate, meter } from "./meter.ts";
import type { CallPlan } from "./plan.ts";
import type { Produced } from "./produced.ts";
import type { Accepted } from "./send.ts";
import { countTokens } from "./tokens.ts";
import type { WholeAnswer } from "./whole-answer.ts";

/** An answer on its way to the client, with all that its bill needs. */
export interface Delivery {
  readonly deps: RelayDeps;
  readonly call: ServiceCall;
  readonly plan: CallPlan;
  readonly bill: Bill;
  readonly produced: Produced;
  readonly attempted: Attempted<Accepted>;
}

/** Brings an answer to the client and settles the call: money first, the last byte after it. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { accepted } = delivery.attempted;
  if ("whole" in accepted) await deliverWhole(delivery, accepted.whole);
  else await deliverFrames(delivery, accepted.stream);
}

async function deliverWhole({ call, plan, bill, attempted }: Delivery, { bytes, usage }: WholeAnswer): Promise<void> {
  const units = usage ?? (await estimate(plan, await countTokens(plan.wire.wordsOf(bytes.toString()))));
  const settled = bill.settle({
    units: { ...units, requests: 1 },
    estimated: usage === undefined,
    outcome: "completed",
    status: 200,
  });
  const { upstreamModel } = attempted.way.candidate;
  const answer = upstreamModel === plan.model.name ? bytes : plan.wire.renameAnswer(bytes, plan.model.name);
  answerJson(call.response, 200, answer);
  await settled;
}

async function deliverFrames({ deps, call, plan, bill, produced, attempted }: Delivery, inlet: Inlet): Promise<void> {
  const { upstreamModel } = attempted.way.candidate;
  const { includeUsage, wire } = plan;
  call.response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
  let settled: Promise<void> | undefined;
  const end = await deliverStream({
    response: call.response,
    inlet,
    wire,
    gear: gearOf({ model: plan.model.name, upstreamModel, stream: true, includeUsage }),
    rename: upstreamModel === plan.model.name ? undefined : plan.model.name,
    hideUsage: !includeUsage,
    produced,
    requestId: call.requestId,
    heartbeatMs: deps.limits.heartbeatMs,
    ending(failure) {
      if (produced.usage === undefined) return;
      settled = bill.settle({
        units: { ...produced.usage, requests: 1 },
        estimated: false,
        outcome: failure === undefined ? "completed" : "failed",
        status: 200,
      });
    },
  });
  if (end.outcome === "failed")
    call.log.warn(
      { err: end.failure.cause ?? end.failure, requestId: call.requestId, channel: attempted.way.candidate.channel.id },
      "stream broke",
    );
  settled ??= bill.settle({ ...(await meter(plan, produced)), outcome: end.outcome, status: 200 });
  await settled;
}
