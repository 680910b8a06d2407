import { Failure } from "@modelgate/contracts";
import type { Attempted, UpstreamAnswer, Way } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import type { Provider } from "@modelgate/providers";
import type { Bill } from "./bill.ts";
import type { RelayDeps } from "./deps.ts";
import { Inlet } from "./inlet.ts";
import type { CallPlan } from "./plan.ts";
import { readAnswer, type WholeAnswer } from "./whole-answer.ts";

/** What an attempt brought: a stream at its first bytes, or a whole answer. */
export type Accepted = { readonly stream: Inlet } | { readonly whole: WholeAnswer };

/** Sends a call through channels until one answers with something that can be given to the client. */
export function send(
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
  if (wire.see(inlet.firstFrame ?? inlet.first).failed) {
    inlet.abort();
    throw new Failure("upstream_error", "The vendor failed before its answer began.");
  }
  return inlet;
}
