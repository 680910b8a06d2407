import { asFailure, Failure, tokensIn, type Units } from "@modelgate/contracts";
import { AttemptsFailed, type Attempted, type UpstreamAnswer, type Way } from "@modelgate/channels";
import { answerJson, ClientGone, type ServiceCall } from "@modelgate/platform";
import type { Provider } from "@modelgate/providers";
import { Bill } from "./bill.ts";
import { deliverStream } from "./deliver-stream.ts";
import type { RelayDeps } from "./deps.ts";
import { expectText } from "./expect.ts";
import { gearOf } from "./gear.ts";
import { Inlet } from "./inlet.ts";
import type { CallPlan } from "./plan.ts";
import { Produced } from "./produced.ts";
import { countTokens } from "./tokens.ts";
import { readAnswer, type WholeAnswer } from "./whole-answer.ts";

/** What an attempt brought: a stream at its first bytes, or a whole answer. */
type Accepted = { readonly stream: Inlet } | { readonly whole: WholeAnswer };

/** Nginx' word for a client that left before its answer: for events and logs, since nobody gets it. */
const clientLeft = 499;

/**
 * The life of a call: expect → hold → attempt → deliver → meter → settle. Throws Failure for what the client is to
 * be told; once bytes left for the client it does not throw. Whatever happens, the hold is settled exactly once.
 */
export async function runCall(deps: RelayDeps, call: ServiceCall, plan: CallPlan): Promise<void> {
  const bill = new Bill(deps, call, plan, expectText(plan.size, plan.model, plan.multiplier, deps.limits.outputTokens));
  await holdOrForget(bill);
  const produced = new Produced(plan.wire);
  using _renewal = deps.renewals.keep({
    accountId: call.caller.accountId,
    callId: bill.callId,
    progress: () => progressOf(bill, produced),
  });
  const gone = abortOnClose(call);
  try {
    using attempted = await attempt(deps, call, plan, bill, gone);
    bill.went(attempted.way, attempted.attempts);
    await deliver({ deps, call, plan, bill, produced, attempted });
  } catch (error) {
    await fail(bill, error, gone.aborted);
  }
}

/**
 * Holds, or throws what the client is told. A store that did not answer may have held all the same: nothing was sent,
 * so the call is settled at nothing, which changes nothing where there is no hold. The client does not wait for it.
 */
async function holdOrForget(bill: Bill): Promise<void> {
  try {
    await bill.hold();
  } catch (error) {
    const failure = asFailure(error);
    if (failure.cause !== undefined)
      void bill.settle({ units: {}, estimated: false, outcome: "failed", status: failure.status });
    throw failure;
  }
}

/** A signal that ends the call's exchange when its client leaves. */
function abortOnClose({ response }: ServiceCall): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort();
  });
  if (response.destroyed) controller.abort();
  return controller.signal;
}

function attempt(
  deps: RelayDeps,
  call: ServiceCall,
  plan: CallPlan,
  bill: Bill,
  signal: AbortSignal,
): Promise<Attempted<Accepted>> {
  return deps.channels.attempts.run<Accepted>({
    callId: bill.callId,
    model: plan.model.name,
    candidates: deps.catalog.current().candidates(plan.model.name, call.caller.group),
    signal,
    render: (way, provider) => renderRequest(call, plan, way, provider),
    async accept(answer) {
      const accepted = plan.stream
        ? { stream: await openStream(answer, plan) }
        : { whole: await readAnswer(answer, plan.wire, deps.limits.answerBytes, deps.budget) };
      bill.firstByte();
      return accepted;
    },
  });
}

function renderRequest(call: ServiceCall, plan: CallPlan, { candidate, key }: Way, provider: Provider) {
  const { upstreamModel, channel } = candidate;
  return {
    url: provider.address(channel.baseUrl, "chat"),
    method: "POST" as const,
    headers: {
      "content-type": "application/json",
      accept: plan.stream ? "text/event-stream" : "application/json",
      "accept-encoding": "identity",
      "x-request-id": call.requestId,
      ...provider.authorize(key.secret),
    },
    body: plan.wire.upstreamBody(plan.body, {
      model: upstreamModel === plan.model.name ? undefined : upstreamModel,
      reportUsage: plan.stream && !plan.includeUsage,
    }),
  };
}

/** Holds a stream at its first bytes; what is no stream, or begins with an error, is tried elsewhere. */
async function openStream(answer: UpstreamAnswer, { wire }: CallPlan): Promise<Inlet> {
  const type = answer.headers["content-type"];
  if (typeof type !== "string" || !type.includes("text/event-stream")) {
    answer.abort();
    throw new Failure("upstream_error", "The vendor did not answer with a stream.");
  }
  const inlet = await Inlet.open(answer);
  if (wire.see(inlet.first).failed) {
    inlet.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }
  return inlet;
}

interface Delivery {
  readonly deps: RelayDeps;
  readonly call: ServiceCall;
  readonly plan: CallPlan;
  readonly bill: Bill;
  readonly produced: Produced;
  readonly attempted: Attempted<Accepted>;
}

async function deliver(delivery: Delivery): Promise<void> {
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

/** What a stream used: the vendor's report, or what was counted of what came. */
async function meter(
  plan: CallPlan,
  produced: Produced,
): Promise<{ readonly units: Units; readonly estimated: boolean }> {
  if (produced.usage !== undefined) return { units: { ...produced.usage, requests: 1 }, estimated: false };
  if (!produced.any) return { units: {}, estimated: true };
  return { units: { ...(await estimate(plan, await produced.outputTokens())), requests: 1 }, estimated: true };
}

/** Units where the vendor reported none: the request's text counted, media at their bound. */
async function estimate({ body, size }: CallPlan, outputTokens: number): Promise<Units> {
  const text = size.textBytes === body.length ? body.toString() : "";
  const inputTokens = text === "" ? Math.ceil(size.textBytes / 4) : await countTokens(text);
  return { inputTokens: inputTokens + size.mediaTokens, outputTokens };
}

function progressOf(bill: Bill, produced: Produced) {
  const units: Units = { ...bill.expected.floorUnits, outputTokens: produced.roughTokens };
  return {
    floorNanos: bill.costOf(units),
    draft: bill.draft({ units, estimated: true, outcome: "failed", status: tokensIn(units) > 0 ? 200 : 0 }),
  };
}

/** Nothing reached the client: nothing is charged, and the client is told, if it is still there. */
async function fail(bill: Bill, error: unknown, gone: boolean): Promise<never> {
  const failure = error instanceof AttemptsFailed ? error.failure : asFailure(error);
  if (error instanceof AttemptsFailed) bill.went(error.way, error.attempts);
  const settled = bill.settle({
    units: {},
    estimated: false,
    outcome: gone ? "cancelled" : "failed",
    status: gone ? clientLeft : failure.status,
  });
  if (!gone) throw failure;
  await settled;
  throw new ClientGone("the client left before its answer");
}
