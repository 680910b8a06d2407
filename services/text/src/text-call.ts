import type { UpstreamWire } from "@modelgate/contracts";
import { placeOf } from "@modelgate/channels";
import type { ServiceCall } from "@modelgate/platform";
import {
  estimateTokens,
  priced,
  runCall,
  textExchanges,
  waitingIn,
  type CallPlan,
  type Exchange,
  type RequestSize,
  type TextCall,
} from "@modelgate/relay";
import type { ClientWire, JsonObject, TextWire } from "@modelgate/wires";
import type { TurnAsk } from "./conversation-of.ts";
import type { Deps } from "./deps.ts";

/** A text request that has been read and looked at. */
export interface AskedText extends Pick<CallPlan, "forward" | "prefer" | "answered"> {
  readonly wire: ClientWire;
  readonly body: Buffer;
  readonly ask: TurnAsk;
  /** Whether a stream of generated content is one JSON array. */
  readonly asArray?: boolean;
  /** The answer's id, where the caller must know it. */
  readonly answerId?: string;
  /** Members that the answer repeats otherwise than the body says them. */
  readonly echo?: JsonObject;
  /** Another body, for the one `channel/key` whose vendor keeps the conversation. */
  readonly native?: { readonly place: string; readonly body: Buffer } | undefined;
}

/** What answers are called in each wire. */
const answerPrefixes: Readonly<Record<ClientWire, string>> = {
  chat: "chatcmpl-",
  responses: "resp_",
  messages: "msg_",
  content: "",
  completions: "cmpl-",
};

/** Every wire that a text call can be served through, the client's own first. */
export const servedThrough: Readonly<Record<ClientWire, readonly ClientWire[]>> = {
  chat: ["chat", "responses", "messages", "content"],
  responses: ["responses", "chat", "messages", "content"],
  messages: ["messages", "chat", "responses", "content"],
  content: ["content", "chat", "responses", "messages"],
  completions: ["completions", "chat", "responses", "messages", "content"],
};

/** Runs a text call, from any client's wire to any vendor's. */
export async function runText(deps: Deps, call: ServiceCall, asked: AskedText): Promise<void> {
  await runCall(deps.relay, call, planText(deps, call, asked));
}

/** The plan of a text call. Throws Failure for a model that the caller cannot call. */
export function planText(deps: Deps, call: ServiceCall, asked: AskedText): CallPlan {
  const { wire, body, ask, asArray = false } = asked;
  const asIs = sizeOf(asked);
  const price = priced(deps.relay, call, ask.model);
  const usualTokens = deps.relay.limits.outputTokens;
  const textCall = {
    wire,
    body,
    model: ask.model,
    stream: ask.stream,
    includeUsage: ask.includeUsage,
    choices: ask.choices,
    strict: call.strict,
    asArray,
    defaultMaxTokens: Math.min(usualTokens, price.model.maxOutputTokens ?? usualTokens),
    answerId: asked.answerId ?? newAnswerId(deps, wire),
    inputTokens: estimateTokens(asIs.textBytes) + asIs.mediaTokens,
    echo: asked.echo,
  } satisfies TextCall;
  const exchange = textExchanges(textCall);
  const size = {
    ...asIs,
    maxOutputTokens: outputBound(deps, call, asked, (model) => exchange("messages", model).body),
  };
  const native = asked.native === undefined ? undefined : textExchanges({ ...textCall, body: asked.native.body });
  return {
    ...price,
    body,
    stream: ask.stream,
    size,
    wires: servedThrough[wire],
    waiting: ask.stream ? waitingIn({ wire, asArray }) : undefined,
    unsealable: true,
    // Over a model that only chats several prompts are answered whole.
    billsUnseen: ask.thinks === true || (wire === "completions" && ask.choices > 1),
    exchange(upstream, way, history) {
      const isNative = history === undefined && upstream === wire && placeOf(way) === asked.native?.place;
      const told = upstream === "completions" ? upstream : textWire(upstream);
      return (isNative ? (native ?? exchange) : exchange)(told, way.candidate.upstreamModel, history);
    },
    forward: asked.forward,
    prefer: asked.native?.place ?? asked.prefer,
    conversation: ask.conversation,
    answered: asked.answered,
  };
}

/**
 * The bound of a call's output. Thoughts count as output where the messages wire is spoken, and a bound that is meant
 * for the words is raised by their budget: where such a vendor may be reached, it is the bound that this vendor is told.
 */
function outputBound(
  { relay }: Deps,
  { caller }: ServiceCall,
  { wire, body, ask }: AskedText,
  render: (upstreamModel: string) => Exchange["body"],
): number | undefined {
  const thinks = wire !== "messages" && (body.includes("reason") || body.includes("hink"));
  const reached = thinks
    ? relay.catalog
        .current()
        .candidates(ask.model, caller.group)
        .find((candidate) => relay.spoken.chosen(candidate, servedThrough[wire]) === "messages")
    : undefined;
  if (reached === undefined) return ask.maxOutputTokens;
  try {
    const rendered = render(reached.upstreamModel);
    const told: unknown = Buffer.isBuffer(rendered) ? JSON.parse(rendered.toString()) : undefined;
    const most = typeof told === "object" && told !== null && "max_tokens" in told ? told.max_tokens : undefined;
    return typeof most === "number" ? Math.max(most, ask.maxOutputTokens ?? 0) : ask.maxOutputTokens;
  } catch {
    return ask.maxOutputTokens; // what that wire cannot say is told when it is tried
  }
}

/** An id for an answer in a wire's own form. */
export function newAnswerId(deps: Deps, wire: ClientWire): string {
  return answerPrefixes[wire] + deps.newAnswerId().replace(/^answer_/, "");
}

/** What a request says of its own size. */
export function sizeOf({ body, ask }: Pick<AskedText, "body" | "ask">): RequestSize {
  return {
    textBytes: Math.max(0, body.length - ask.media.characters),
    mediaTokens: ask.media.tokens,
    maxOutputTokens: ask.maxOutputTokens,
    choices: ask.choices,
  };
}

export function textWire(wire: UpstreamWire): TextWire {
  if (wire === "chat" || wire === "responses" || wire === "messages" || wire === "content") return wire;
  throw new Error(`${wire} is no text wire`);
}
