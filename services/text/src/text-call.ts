import type { UpstreamWire, TextWire } from "@modelgate/contracts";
import { placeOf } from "@modelgate/channels";
import { inTurnsIfLong, type ServiceCall } from "@modelgate/platform";
import {
  CallFees,
  estimateTokens,
  priced,
  runCall,
  type AdmittedIds,
  type CallPlan,
  type Exchange,
  type RequestSize,
} from "@modelgate/relay";
import { textExchanges, waitingIn, type TextCall } from "./exchanges/text.ts";
import { findMembersInTurns, holdsAny } from "@modelgate/wires/json";
import { memberOf, type ClientWire, type JsonObject } from "@modelgate/wires/text";
import type { TurnAsk } from "./conversation-of.ts";
import type { Deps } from "./deps.ts";
import { admitStoreUse, keepingMade } from "./vendor-ids.ts";

/** A text request that has been read and looked at. */
export interface AskedText extends Pick<CallPlan, "forward" | "answered"> {
  readonly wire: ClientWire;
  readonly body: Buffer;
  readonly ask: TurnAsk;
  /** Whether a stream of generated content is one JSON array. */
  readonly asArray?: boolean;
  /** The answer's id, where the caller must know it. */
  readonly answerId?: string;
  /** Members that the answer repeats otherwise than the body says them. */
  readonly echo?: JsonObject;
  /** What the request may name in its vendor's store. */
  readonly admitted?: AdmittedIds | undefined;
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
  const admitted = await admitStoreUse(deps, call, asked.ask);
  await runCall(deps.relay, call, await planText(deps, call, { ...asked, admitted }));
}

/** The plan of a text call. Throws Failure for a model that the caller cannot call. */
export async function planText(deps: Deps, call: ServiceCall, asked: AskedText): Promise<CallPlan> {
  const { wire, body, ask, asArray = false } = asked;
  const asIs = await sizeOf(asked);
  const { unpriced, ...price } = priced(deps.relay, call, ask.model);
  const fees = new CallFees({
    asked: ask.fees,
    price: price.model.price,
    unpriced,
    limits: deps.relay.limits,
    allow: (model) => void deps.relay.catalog.current().resolve(call.caller, model, ["image"]),
  });
  const usualTokens = deps.relay.limits.outputTokens;
  const textCall = {
    wire,
    body,
    model: ask.model,
    stream: ask.stream,
    includeUsage: ask.includeUsage,
    choices: ask.choices,
    boundNames: ask.boundNames,
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
    fees: { ...fees.held, inputTokens: fees.held.inputTokens + (ask.media.more ?? 0) },
    maxOutputTokens: await outputBound(deps, call, asked, async (model) => (await exchange("messages", model)).body),
  };
  const native = asked.native === undefined ? undefined : textExchanges({ ...textCall, body: asked.native.body });
  return {
    ...price,
    body,
    stream: ask.stream,
    size,
    fees,
    wires: servedThrough[wire],
    waiting: ask.stream ? waitingIn({ wire, asArray }) : undefined,
    unsealable: true,
    // Over a model that only chats several prompts are answered whole.
    billsUnseen: ask.thinks === true || (wire === "completions" && ask.choices > 1),
    async exchange(upstream, way, history) {
      const isNative = history === undefined && upstream === wire && placeOf(way) === asked.native?.place;
      const told = upstream === "completions" ? upstream : textWire(upstream);
      const made = await (isNative ? (native ?? exchange) : exchange)(told, way.candidate.upstreamModel, history);
      return keepingMade(deps, call, asked, fees.checked(made), placeOf(way));
    },
    forward: asked.forward,
    prefer: asked.native?.place ?? asked.admitted?.place,
    conversation: ask.conversation,
    answered: asked.answered,
  };
}

/**
 * The bound of a call's output. Thoughts count as output where the messages wire is spoken, and a bound that is meant
 * for the words is raised by their budget: where such a vendor may be reached, it is the bound that this vendor is told.
 */
async function outputBound(
  { relay }: Deps,
  { caller }: ServiceCall,
  { wire, body, ask }: AskedText,
  render: (upstreamModel: string) => Promise<Exchange["body"]>,
): Promise<number | undefined> {
  const thinks = wire !== "messages" && (await inTurnsIfLong(holdsAny(body, ...thoughtWords)));
  const reached = thinks
    ? relay.catalog
        .current()
        .candidates(ask.model, caller.group)
        .find((candidate) => relay.channels.spoken.choose(candidate, servedThrough[wire]) === "messages")
    : undefined;
  if (reached === undefined) return ask.maxOutputTokens;
  try {
    const rendered = await render(reached.upstreamModel);
    if (Buffer.isBuffer(rendered)) await inTurnsIfLong(findMembersInTurns(rendered));
    const most = Buffer.isBuffer(rendered) ? memberOf(rendered, "max_tokens") : undefined;
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
export async function sizeOf({ body, ask }: Pick<AskedText, "body" | "ask">): Promise<RequestSize> {
  return {
    textBytes: Math.max(0, body.length - ask.media.characters),
    mediaTokens: ask.media.tokens,
    maxOutputTokens: ask.maxOutputTokens,
    choices: ask.choices,
    readsBeyond: ask.readsBeyond || (await inTurnsIfLong(holdsAny(body, ...storedWords))),
  };
}

/** Words of a body that asks for thoughts, or may. */
const thoughtWords = ["reason", "hink"].map((word) => Buffer.from(word));

/** Words of a body that name what its vendor keeps; where one is a part of a text, its usage is bounded more loosely. */
const storedWords = ["file_id", "item_reference"].map((word) => Buffer.from(word));

export function textWire(wire: UpstreamWire): TextWire {
  if (wire === "chat" || wire === "responses" || wire === "messages" || wire === "content") return wire;
  throw new Error(`${wire} is no text wire`);
}
