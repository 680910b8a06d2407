import type { ChannelKeyId } from "@modelgate/catalog";
import { channelKeyIdOf, type WireRoute } from "@modelgate/channels";
import { textWires, type UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong, once, type ServiceCall } from "@modelgate/platform";
import {
  CallFees,
  estimateTokens,
  runCall,
  type AdmittedIds,
  type CallPlan,
  type Exchange,
  type Measure,
  type PlannedCall,
  type PricedModel,
  type RelayedCall,
  type RequestSize,
} from "@modelgate/relay";
import type { TextCall } from "./exchanges/text-call.ts";
import { textExchanges, type TextExchanges } from "./exchanges/text.ts";
import { waitingIn } from "./exchanges/waiting.ts";
import { findMembersInTurns, holdsAny } from "@modelgate/wires/json";
import {
  chatCodecIn,
  memberOf,
  textCodec,
  textCodecs,
  wiresServing,
  type ClientCodec,
  type ClientWire,
  type JsonObject,
  type TextCodec,
} from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import type { TurnAsk } from "./read-text.ts";
import { admitStoreUse, keepingMade } from "./vendor-ids.ts";

/** A call whose body was read, whatever carried it. */
export type TextServiceCall = RelayedCall & Pick<ServiceCall, "strict">;

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
  readonly echo?: JsonObject | undefined;
  /** What the request may name in its vendor's store. */
  readonly admitted?: AdmittedIds | undefined;
  /** Another body, for the one `channel/key` whose vendor keeps the conversation. */
  readonly native?: { readonly channelKey: ChannelKeyId; readonly body: Buffer } | undefined;
  /** The wires that it can be served through; absent: all that its client's wire can be converted to. */
  readonly wires?: readonly UpstreamWire[];
  /** Makes an attempt's exchange; absent: the usual one. */
  readonly exchange?: (attempt: TextAttempt) => Exchange | Promise<Exchange>;
  /** Whether thoughts' seals can be left out of an attempt; absent: they can. */
  readonly unsealable?: boolean;
  /** Whether the bound of output is the gateway's own, which a vendor is not sent. */
  readonly boundIsOurs?: boolean;
  /** Whether output may be billed that a stream does not show, whatever the request says. */
  readonly billsUnseen?: boolean;
  /** How the call is measured where its cost does not hang on text alone. */
  readonly measure?: (size: RequestSize) => Measure;
  readonly hearsOut?: boolean;
  /** Called when the money is held, and a vendor is about to be asked what its wire can say. */
  readonly begins?: (() => void) | undefined;
}

/** One attempt of a text call. */
export interface TextAttempt {
  readonly route: WireRoute;
  readonly fees: CallFees;
  /** Makes the exchange that calls of the client's wire usually have with the route's. */
  usual(): Promise<Exchange>;
}

/** Runs a text call, from any client's wire to any vendor's. */
export async function runText(deps: Deps, call: TextServiceCall, asked: AskedText): Promise<void> {
  const admitted = await admitStoreUse(deps, call, asked.ask);
  await runCall(deps.relay, call, asked.ask.model, (serving) => planText(deps, call, { ...asked, admitted }, serving));
}

/** Plans a text call with a model: all that its life needs is decided here. */
export async function planText(
  deps: Deps,
  call: TextServiceCall,
  asked: AskedText,
  { model, unpriced }: PricedModel,
): Promise<PlannedCall> {
  const { wire, body, ask, asArray = false } = asked;
  const asIs = await sizeOf(asked);
  const fees = new CallFees({
    asked: ask.fees,
    price: model.price,
    unpriced,
    limits: deps.relay.limits,
    allow: (drawing) => void deps.relay.catalog.current().resolve(call.caller, drawing, ["image"]),
  });
  const usualTokens = deps.relay.limits.outputTokens;
  const textCall = {
    wire,
    body,
    model: ask.model,
    stream: ask.stream,
    includeUsage: ask.includeUsage,
    showsCost: ask.showsCost,
    choices: ask.choices,
    boundNames: ask.boundNames,
    foreignNames: ask.foreignNames,
    strict: call.strict,
    asArray,
    defaultMaxTokens: Math.min(usualTokens, model.maxOutputTokens ?? usualTokens),
    answerId: asked.answerId ?? newAnswerId(deps, wire),
    inputTokens: estimateTokens(asIs.textBytes) + asIs.mediaTokens,
    ownHeaders: hintHeaders.filter((name) => asked.forward?.headers[name] !== undefined),
    echo: asked.echo,
  } satisfies TextCall;
  const exchanges = textExchanges(textCall);
  const size: RequestSize = {
    ...asIs,
    fees: { ...fees.held, inputTokens: fees.held.inputTokens + (ask.media.more ?? 0) },
    maxOutputTokens: await boundAtVendor(deps, call, asked, { exchanges, model: model.name }),
    boundIsOurs: asked.boundIsOurs,
  };
  const usual = usualExchange(deps, call, asked, { textCall, exchanges, fees });
  return {
    cost: costOf(asked, size),
    fees,
    wires: asked.wires ?? wiresServing(wire),
    countUnsupported: asked.exchange === undefined ? exchanges.countUnsupported : undefined,
    waiting: ask.stream ? waitingIn({ wire, asArray }) : undefined,
    hearsOut: asked.hearsOut,
    unsealable: asked.unsealable ?? true,
    exchange: exchangeOf(asked, fees, usual),
    forward: asked.forward,
    prefer: asked.native?.channelKey ?? asked.admitted?.channelKey,
    conversation: ask.conversation,
    endUser: ask.endUser,
    showsCost: ask.showsCost,
    answered: asked.answered,
  };
}

/** Headers that ask for something, unlike the version of a wire. */
const hintHeaders = ["anthropic-beta"];

/** Makes each attempt's exchange: the usual one, unless the call has another. */
function exchangeOf(
  { exchange, begins }: AskedText,
  fees: CallFees,
  usual: ReturnType<typeof usualExchange>,
): PlannedCall["exchange"] {
  return async (route, history) => {
    const made = await (exchange?.({ route, fees, usual: () => usual(route, history) }) ?? usual(route, history));
    begins?.();
    return made;
  };
}

/** What bounds and meters a call's cost. */
function costOf({ wire, body, ask, billsUnseen, measure }: AskedText, size: RequestSize): CallPlan["cost"] {
  if (measure !== undefined) return { by: "measure", measure: measure(size) };
  const { batch }: ClientCodec = textCodecs[wire].client;
  // Over a model that only chats several prompts are answered whole.
  const isUnseen = billsUnseen === true || ask.thinks === true || (batch !== undefined && ask.choices > 1);
  return { by: "text", body, size, stream: ask.stream, billsUnseen: isUnseen };
}

/** Finds the codec of a route's wire, as its vendor speaks it. */
function codecOfRoute({ wire, provider: { dialect } }: Pick<WireRoute, "wire" | "provider">): TextCodec {
  return wire === "chat" && dialect !== undefined ? chatCodecIn(dialect) : textCodec(wire);
}

/** Makes the exchange that calls of a wire usually have, over the body that the route's vendor knows the conversation by. */
function usualExchange(
  deps: Deps,
  call: TextServiceCall,
  asked: AskedText,
  {
    textCall,
    exchanges,
    fees,
  }: { readonly textCall: TextCall; readonly exchanges: TextExchanges; readonly fees: CallFees },
): (route: WireRoute, history: "unsealed" | undefined) => Promise<Exchange> {
  const native = asked.native === undefined ? undefined : textExchanges({ ...textCall, body: asked.native.body });
  return async (route, history) => {
    const isNative =
      history === undefined && route.wire === asked.wire && channelKeyIdOf(route) === asked.native?.channelKey;
    const render = isNative ? (native ?? exchanges) : exchanges;
    const made = await render.make(codecOfRoute(route), route.candidate.upstreamModel, history);
    return keepingMade(deps, call, asked, fees.checked(made), channelKeyIdOf(route));
  };
}

/** What a client's bound may be raised to, whatever the vendor. */
const leastBound = once(() => Math.max(...textWires.map((wire) => textCodec(wire).vendor?.leastBound ?? 0)));

/**
 * Finds the bound of a call's output: the client's own. Where there is none, some vendors' wires demand one that thoughts
 * count in, and are sent ours raised by their budget: where such a vendor may be reached, the call is held for that.
 */
async function boundAtVendor(
  { relay }: Deps,
  { caller }: TextServiceCall,
  { wire, body, ask }: AskedText,
  { exchanges, model }: { readonly exchanges: TextExchanges; readonly model: string },
): Promise<number | undefined> {
  const { thoughts }: ClientCodec = textCodecs[wire].client;
  const { maxOutputTokens } = ask;
  if (maxOutputTokens !== undefined) return Math.max(maxOutputTokens, leastBound() * ask.choices);
  if (thoughts === undefined) return undefined;
  if (!(await inTurnsIfLong(holdsAny(body, ...thoughts.words)))) return undefined;
  for (const candidate of relay.catalog.current().candidates(model, caller.group)) {
    const chosen = relay.channels.supportedWires.choose(candidate, wiresServing(wire));
    const codec = chosen === undefined || chosen === wire ? undefined : textCodec(chosen);
    if (codec?.vendor?.raisedBound === undefined) continue;
    try {
      const rendered = (await exchanges.make(codec, candidate.upstreamModel)).body;
      if (!Buffer.isBuffer(rendered)) return undefined;
      await inTurnsIfLong(findMembersInTurns(rendered));
      const most = memberOf(rendered, codec.vendor.raisedBound);
      return typeof most === "number" ? most : undefined;
    } catch {
      return undefined; // what that wire cannot say is refused when it is tried
    }
  }
  return undefined;
}

/** An id for an answer in a wire's own form. */
export function newAnswerId(deps: Deps, wire: ClientWire): string {
  return textCodecs[wire].client.answerPrefix + deps.newAnswerId().replace(/^answer_/, "");
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

/** Words of a body that name what its vendor keeps; where one is a part of a text, its usage is bounded more loosely. */
const storedWords = ["file_id", "item_reference"].map((word) => Buffer.from(word));
