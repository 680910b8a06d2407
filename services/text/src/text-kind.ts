import type { Candidate, CatalogChannel } from "@modelgate/catalog";
import { channelKeyIdOf, type WireRoute } from "@modelgate/channels";
import { isAgent, textWireNames, type Price, type UpstreamWire } from "@modelgate/contracts";
import { inTurnsIfLong, once, type EndpointHandler } from "@modelgate/platform";
import {
  CallFees,
  estimateTokens,
  isTierPriced,
  isToolPriced,
  priceOrNone,
  runCall,
  type AdmittedIds,
  type Call,
  type CallKind,
  type Exchange,
  type FeesOptions,
  type Forwarded,
  type Plan,
  type ServingModel,
  type TextCost,
} from "@modelgate/relay";
import { findMembersInTurns, includesAny } from "@modelgate/wires/json";
import {
  chatWireIn,
  isKnownModel,
  memberOf,
  textWire,
  wires,
  wiresServing,
  withoutUnpriced,
  type JsonObject,
  type RequestedTool,
  type TextClient,
  type ClientWire,
} from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import { servedName, withFallbackNames } from "./fallback-models.ts";
import { agentExchange } from "./exchanges/agent-exchange.ts";
import { waitingIn, type TextCall } from "./exchanges/text-call.ts";
import { TextExchangeMaker } from "./exchanges/text.ts";
import { readText, type TurnParams } from "./read-text.ts";
import { admitStoreUse, foreignItems, withRememberedIds } from "./vendor-ids.ts";

/** A text request after its parameters were read. */
export interface TextInput {
  /** Name of the model in the client's request. */
  readonly model: string;
  readonly wire: ClientWire;
  /** The client's unchanged body. */
  readonly body: Buffer;
  readonly params: TurnParams;
  readonly answerId: string;
  /** Result of checking the ids of the vendor's store that the request names. */
  readonly admitted: AdmittedIds;
  /** True if a stream of the Gemini wire is one JSON array. */
  readonly asArray: boolean;
  readonly forward: Forwarded | undefined;
  /** Fields that the answer repeats with other values than those in the body. */
  readonly echo?: JsonObject | undefined;
  /** Called when the money is held and the request is about to be sent. */
  readonly begins?: (() => void) | undefined;
}

/** Plan of a text call with one model. */
export interface TextPlan extends Plan {
  readonly call: Call;
  readonly input: TextInput;
  readonly cost: TextCost;
  readonly fees: CallFees;
  /** Tools and tiers of the client's request that were removed because the model has no price for them. */
  readonly dropped: readonly string[];
  readonly textCall: TextCall;
  readonly exchanges: TextExchangeMaker;
}

/** POST /v1/chat/completions and POST /v1/completions (interface endpoints 3 and 7). A chat model can serve both. */
export function textHandler(deps: Deps, wire: "chat" | "completions"): EndpointHandler {
  const { client } = wires[wire];
  const kind = new TextCallKind(deps);
  return async (call) => {
    using body = await readText(deps, call, client);
    await runText(kind, call, { wire, body: body.bytes, params: body.seen });
  };
}

/** Runs a text call. The wires of client and vendor may differ. */
export async function runText(
  kind: TextCallKind,
  call: Call,
  {
    wire,
    body,
    params,
    asArray = false,
    forward,
    answerId = newAnswerId(kind.deps, wire),
    ...more
  }: Pick<TextInput, "wire" | "body" | "params"> &
    Partial<Pick<TextInput, "answerId" | "asArray" | "begins" | "echo" | "forward">>,
): Promise<void> {
  const { deps } = kind;
  const admitted = await admitStoreUse(deps, call, params);
  const input: TextInput = { model: params.model, wire, body, params, answerId, admitted, asArray, forward, ...more };
  await runCall(deps.relay, call, kind, input);
}

/** Kind of call: chat, completions, messages, responses, and content of the Gemini wire. */
export class TextCallKind implements CallKind<TextInput, TextPlan> {
  readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async plan(call: Call, request: TextInput, serving: ServingModel): Promise<TextPlan> {
    const { limits } = this.deps.relay;
    const fallbackPrice = this.#fallbackPrices(call, request, serving);
    const { input, dropped } = withoutUnpricedFees(call, request, serving, fallbackPrice);
    const { wire, body, params, admitted, asArray, forward } = input;
    const textBytes = Math.max(0, body.length - params.media.characters);
    const fees = this.#feesOf(call, params, serving, fallbackPrice);
    const textCall: TextCall = {
      wire,
      body,
      model: input.model,
      stream: params.stream,
      includeUsage: params.includeUsage,
      showsCost: params.showsCost,
      choices: params.choices,
      boundNames: params.boundNames,
      foreignNames: params.foreignNames,
      strict: call.strict,
      asArray,
      defaultMaxTokens: Math.min(limits.outputTokens, serving.model.maxOutputTokens ?? limits.outputTokens),
      answerId: input.answerId,
      echo: input.echo,
      inputTokens: estimateTokens(textBytes) + params.media.tokens,
      ownHeaders: forward === undefined ? [] : hintHeaders.filter((name) => forward.headers[name] !== undefined),
    };
    const exchanges = new TextExchangeMaker(textCall);
    const isForAgent = this.#isForAgent(call, serving.model.name);
    return {
      call,
      input,
      cost: {
        by: "text",
        body,
        size: {
          textBytes,
          mediaTokens: params.media.tokens,
          choices: params.choices,
          readsBeyond: isForAgent || params.readsBeyond || (await inTurnsIfLong(includesAny(body, ...storeReferences))),
          fees: { ...fees.held, inputTokens: fees.held.inputTokens + (params.media.more ?? 0) },
          maxOutputTokens: await outputLimit(this.deps, call, input, { exchanges, serving, textCall }),
        },
        stream: params.stream,
        billsUnseen: billsUnseen(input),
      },
      fees,
      dropped,
      wires: wiresServing(wire),
      waiting: params.stream ? waitingIn({ wire, asArray }) : undefined,
      finishAfterDisconnect: isForAgent,
      canDropSignatures: true,
      forward,
      prefer: admitted.channelKey,
      conversation: params.conversation,
      endUser: params.endUser,
      showsCost: params.showsCost,
      textCall,
      exchanges,
    };
  }

  /**
   * Plans the call with an output limit of `tokens` per answer. Returns undefined if the text of the body does not
   * limit the cost, because of media, reasoning, or stored data that the vendor reads in addition.
   */
  withPaidOutput(plan: TextPlan, tokens: number): TextPlan | undefined {
    const { cost, input, textCall } = plan;
    const { choices, mediaTokens, readsBeyond } = cost.size;
    if (mediaTokens > 0 || readsBeyond === true || input.params.thinks === true) return undefined;
    const { defaultMaxTokens: usual = tokens }: TextClient = wires[input.wire].client;
    const paidOutputTokens = Math.min(tokens, usual);
    const defaultMaxTokens = Math.min(textCall.defaultMaxTokens, paidOutputTokens);
    const size = { ...cost.size, paidOutputTokens, maxOutputTokens: paidOutputTokens * choices };
    return { ...withExchanges(plan, { ...textCall, paidOutputTokens, defaultMaxTokens }), cost: { ...cost, size } };
  }

  #feesOf(
    { caller }: Call,
    { fees: requested }: TurnParams,
    { model: { price }, unpriced }: ServingModel,
    fallbackPrice: FeesOptions["fallbackPrice"],
  ): CallFees {
    const { catalog, limits } = this.deps.relay;
    const allow = (drawing: string) => void catalog.current().resolve(caller, drawing, ["image"]);
    return new CallFees({ requested, price, unpriced, limits, allow, fallbackPrice });
  }

  /** Returns a finder of prices of models that may answer if the requested one declines; it throws as `resolve` does. */
  #fallbackPrices(
    { caller }: Call,
    { params }: TextInput,
    { model: { name } }: ServingModel,
  ): FeesOptions["fallbackPrice"] {
    if (params.fees === undefined) return undefined;
    return (fallback) => {
      const catalog = this.deps.relay.catalog.current();
      const channels = catalog.candidates(name, caller.group).map(({ channel }) => channel);
      const known = servedName(catalog, channels, fallback);
      return known === undefined ? undefined : catalog.resolve(caller, known, ["chat"]).price;
    };
  }

  /**
   * Returns true if an agent may answer the call. An agent reads pages and files that it looks up, and can be cancelled
   * only when its vendor has reported its id, so its answer is awaited after the client has left.
   */
  #isForAgent({ caller }: Call, model: string): boolean {
    const candidates = this.deps.relay.catalog.current().candidates(model, caller.group);
    return candidates.some(({ upstreamModel }) => isAgent(upstreamModel));
  }

  async exchange(
    { call, input, fees, exchanges, dropped }: TextPlan,
    route: WireRoute,
    history: "withoutSignatures" | undefined,
  ): Promise<Exchange> {
    const { wire, provider, candidate } = route;
    const { dialect } = provider;
    const upstream = wire === "chat" && dialect !== undefined ? chatWireIn(dialect) : textWire(wire);
    const { admitted, params } = input;
    const foreign = admitted.carried.size === 0 ? undefined : foreignItems(admitted, channelKeyIdOf(route));
    const knownAs = provider.hasDeployments === true ? this.#modelOf(candidate) : undefined;
    const made = await exchanges.make(upstream, candidate.upstreamModel, { history, foreignItems: foreign, knownAs });
    input.begins?.();
    const named = wire === "messages" ? await this.#withModels(made, candidate.channel, params) : made;
    const checked = fees.checked(isAgent(candidate.upstreamModel) ? agentExchange(named, upstream) : named);
    const exchange = dropped.length === 0 ? checked : { ...checked, dropped: [...dropped, ...(checked.dropped ?? [])] };
    if (params.makes !== true) return exchange;
    return withRememberedIds(this.deps, call, input, exchange, channelKeyIdOf(route));
  }

  /** Returns the name of a deployment's model: the deployment's, or the gateway's if the former tells no model. */
  #modelOf({ channel, upstreamModel }: Candidate): string {
    if (isKnownModel(upstreamModel)) return upstreamModel;
    return servedName(this.deps.relay.catalog.current(), [channel], upstreamModel) ?? upstreamModel;
  }

  /** Adds the prices of a channel's other models to an exchange, and names its fallback models as the channel does. */
  async #withModels(made: Exchange, channel: CatalogChannel, { fees }: TurnParams): Promise<Exchange> {
    const catalog = this.deps.relay.catalog.current();
    const nameOf = (model: string): string | undefined => servedName(catalog, [channel], model);
    const priceOf = (model: string): Price | undefined => catalog.priceOf(nameOf(model) ?? "");
    // A converted request has no such models.
    const isNamed = made.requestedFees === undefined && fees?.tools.some(({ fallback }) => fallback !== undefined);
    if (isNamed !== true || !Buffer.isBuffer(made.body)) return { ...made, priceOf };
    return { ...made, priceOf, body: await withFallbackNames(made.body, channel, nameOf) };
  }

  countUnsupported({ exchanges }: TextPlan, wire: UpstreamWire, upstreamModel: string): Promise<number> {
    return exchanges.countUnsupported(wire, upstreamModel);
  }
}

/** Returns the plan with another text call, for which new exchanges are created. */
export function withExchanges(plan: TextPlan, textCall: TextCall): TextPlan {
  return { ...plan, textCall, exchanges: new TextExchangeMaker(textCall) };
}

/**
 * Removes tools and tiers for which the model has no price, if the group allows that. Returns the request unchanged if
 * one of them cannot be removed.
 */
function withoutUnpricedFees(
  { strict }: Call,
  input: TextInput,
  { model: { price }, unpriced }: ServingModel,
  fallbackPrice: FeesOptions["fallbackPrice"],
): Pick<TextPlan, "input" | "dropped"> {
  const { body, params } = input;
  const { fees } = params;
  if (fees === undefined || unpriced !== "drop" || strict) return { input, dropped: [] };
  const isPriced = (tool: RequestedTool): boolean =>
    tool.fallback === undefined
      ? isToolPriced(tool, price) && tool.surchargePath === undefined
      : priceOrNone(fallbackPrice, tool.fallback) !== undefined;
  if (fees.tools.every(isPriced) && fees.tiers.every(({ name }) => isTierPriced(name, price)))
    return { input, dropped: [] };
  const left = withoutUnpriced(body, fees, isPriced, (name) => isTierPriced(name, price));
  if (left === undefined) return { input, dropped: [] };
  return { input: { ...input, body: left.body, params: { ...params, fees: left.fees } }, dropped: left.dropped };
}

/** Headers that request optional features. Other vendors may ignore them; a wire's version header is not among them. */
const hintHeaders = ["anthropic-beta"];

/**
 * Returns whether a vendor may bill output that the stream does not show, such as reasoning. This is also true for
 * several prompts to a chat model, whose answers are not streamed.
 */
function billsUnseen({ wire, params }: TextInput): boolean {
  const { batch }: TextClient = wires[wire].client;
  // A chat model answers several prompts without streaming.
  return params.thinks === true || (batch !== undefined && params.choices > 1);
}

/** Highest output limit, over all vendors, to which a client's lower limit may be raised. */
const minBound = once(() => Math.max(...textWireNames.map((wire) => textWire(wire).vendor?.minBound ?? 0)));

/**
 * Returns the output limit of a call: that of the client, but at least the minimum of the vendors. If the client sets
 * none but enables reasoning, some wires require a limit that includes reasoning. It is then the default limit plus the
 * reasoning budget, and money is held for it if the call may be sent in such a wire. Undefined if no vendor needs one.
 */
async function outputLimit(
  { relay }: Deps,
  { caller }: Pick<Call, "caller">,
  { wire, body, params: { choices, maxOutputTokens } }: TextInput,
  { exchanges, serving, textCall }: Pick<TextPlan, "exchanges" | "textCall"> & { readonly serving: ServingModel },
): Promise<number | undefined> {
  if (maxOutputTokens !== undefined) return Math.max(maxOutputTokens, minBound() * choices);
  const { thoughts }: TextClient = wires[wire].client;
  if (thoughts === undefined) return undefined;
  if (!(await inTurnsIfLong(includesAny(body, ...thoughts.words)))) return undefined;
  for (const candidate of relay.catalog.current().candidates(serving.model.name, caller.group)) {
    const chosen = relay.channels.supportedWires.choose(candidate, wiresServing(wire));
    const upstream = chosen === undefined || chosen === wire ? undefined : textWire(chosen);
    if (upstream?.vendor?.raisedBound === undefined) continue;
    try {
      const rendered = (await exchanges.make(upstream, candidate.upstreamModel)).body;
      if (!Buffer.isBuffer(rendered)) return undefined;
      await inTurnsIfLong(findMembersInTurns(rendered));
      const most = memberOf(rendered, upstream.vendor.raisedBound);
      return typeof most === "number" && most > textCall.defaultMaxTokens ? most : undefined;
    } catch {
      return undefined; // the attempt in this wire reports what the wire cannot express
    }
  }
  return undefined;
}

/** Creates an answer id with the prefix of the wire. */
export function newAnswerId(deps: Deps, wire: ClientWire): string {
  return wires[wire].client.answerPrefix + deps.newAnswerId().replace(/^answer_/, "");
}

/**
 * Names of fields that refer to data in a vendor's store. If a body contains one anywhere, even in a text, more input
 * tokens may be billed.
 */
const storeReferences = ["file_id", "item_reference"].map((word) => Buffer.from(word));
