import type { Candidate, CatalogChannel } from "@modelgate/catalog";
import { channelKeyIdOf, type WireRoute } from "@modelgate/channels";
import { isAgent, type Price, type UpstreamWire } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
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
import {
  chatWireForDialect,
  isKnownModel,
  pathBefore,
  textWire,
  wires,
  wiresServing,
  withoutUnpriced,
  type JsonObject,
  type RequestedFees,
  type RequestedTier,
  type RequestedTool,
  type TextClient,
  type ClientWireName,
} from "@modelgate/wires/text";
import type { Deps } from "./deps.ts";
import { gatewayModelName, withFallbackNames } from "./fallback-models.ts";
import { agentExchange } from "./exchanges/agent-exchange.ts";
import { pendingStreamOf, type TextCall } from "./exchanges/text-call.ts";
import { TextExchangeFactory } from "./exchanges/text.ts";
import { readText, type TurnParams } from "./read-text.ts";
import { hasAgent, requestSize, textBytesOf } from "./request-size.ts";
import { admitStoreUse, foreignItems, withRememberedIds } from "./vendor-ids.ts";

/** A text request after its parameters were read. */
export interface TextInput {
  /** Name of the model in the client's request. */
  readonly model: string;
  readonly wire: ClientWireName;
  /** Body of the request in the client's wire, with references to stored data resolved. */
  readonly body: Buffer;
  readonly params: TurnParams;
  readonly answerId: string;
  /** Result of checking the ids of the vendor's store that the request names. */
  readonly admitted: AdmittedIds;
  /** True if a stream of the Gemini wire is one JSON array. */
  readonly asArray: boolean;
  readonly forward: Forwarded | undefined;
  /** Fields that the gateway sets in the answer. */
  readonly echo?: JsonObject | undefined;
  /** Called when the money is held and the request is about to be sent. */
  readonly onStart?: (() => void) | undefined;
}

export interface TextPlan extends Plan {
  readonly call: Call;
  readonly input: TextInput;
  readonly cost: TextCost;
  readonly fees: CallFees;
  /** Tools and tiers that were removed from the request because the model has no price for them. */
  readonly dropped: readonly string[];
  readonly exchanges: TextExchangeFactory;
}

/** Returns the handler of POST /v1/chat/completions or /v1/completions. A chat model can serve both. */
export function textHandler(deps: Deps, wire: "chat" | "completions"): EndpointHandler {
  const { client } = wires[wire];
  const kind = new TextCallKind(deps);
  return async (call) => {
    using body = await readText(deps, call, client);
    await runText(kind, call, { wire, body: body.bytes, params: body.inspected });
  };
}

/** Runs a text call. The wires of client and vendor may differ. */
export function runText(
  kind: TextCallKind,
  call: Call,
  {
    wire,
    body,
    params,
    asArray = false,
    forward,
    answerId = newAnswerId(kind.deps, wire),
    echo,
    onStart,
  }: Pick<TextInput, "wire" | "body" | "params"> &
    Partial<Pick<TextInput, "answerId" | "asArray" | "onStart" | "echo" | "forward">>,
): Promise<void> {
  const { deps } = kind;
  const { model } = params;
  const input = { model, wire, body, params, answerId, asArray, forward, echo, onStart };
  const admitted = admitStoreUse(deps, call, params);
  if (admitted instanceof Promise)
    return admitted.then((ids) => runCall(deps.relay, call, kind, { ...input, admitted: ids }));
  return runCall(deps.relay, call, kind, { ...input, admitted });
}

/** Kind of call: text, in any wire of clients. */
export class TextCallKind implements CallKind<TextInput, TextPlan> {
  readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  async plan(call: Call, request: TextInput, serving: ServingModel): Promise<TextPlan> {
    const { fees: requested } = request.params;
    const fallbackPrice = requested && this.#fallbackPrices(call, serving);
    const { input, dropped } =
      requested === undefined
        ? { input: request, dropped: [] }
        : withoutUnpricedFees(call, request, requested, serving, fallbackPrice);
    const { wire, body, params, admitted, asArray, forward } = input;
    const { catalog, limits } = this.deps.relay;
    const { model, unpriced } = serving;
    const allow = (imageModel: string): void => void catalog.current().resolve(call.caller, imageModel, ["image"]);
    const fees = new CallFees({ requested: params.fees, price: model.price, unpriced, limits, allow, fallbackPrice });
    const exchanges = new TextExchangeFactory(this.#textCallOf(call, input, serving));
    const { batch }: TextClient = wires[wire].client;
    const candidates = catalog.current().candidates(model.name, call.caller.group);
    const measured = requestSize(this.deps, { params, exchanges, fees, candidates });
    const size = measured instanceof Promise ? await measured : measured;
    return {
      call,
      input,
      cost: {
        by: "text",
        body,
        size,
        stream: params.stream,
        // Some billed output is not in the client's stream: reasoning, and answers to several prompts, which are
        // complete before the stream begins.
        billsHiddenOutput: params.thinks === true || (batch !== undefined && params.choices > 1),
      },
      fees,
      dropped,
      wires: wiresServing(wire),
      pendingStream: params.stream ? pendingStreamOf({ wire, asArray }) : undefined,
      // A run of an agent cannot be cancelled before the vendor has reported the run's id. So its answer is awaited
      // after the client has disconnected.
      finishAfterDisconnect: hasAgent(candidates),
      canDropSignatures: params.keepsSignatures !== true,
      forward,
      prefer: admitted.channelKey,
      conversation: params.conversation,
      endUser: params.endUser,
      showsCost: params.showsCost,
      exchanges,
    };
  }

  /**
   * Plans the call with an output limit of `tokens` per answer; undefined if the cost also depends on media, hidden
   * input or reasoning.
   */
  withAffordableOutput(plan: TextPlan, tokens: number): TextPlan | undefined {
    const { cost, input } = plan;
    const textCall = plan.exchanges.call;
    const { choices, mediaTokens, readsHiddenInput } = cost.size;
    if (mediaTokens > 0 || readsHiddenInput === true || input.params.thinks === true) return undefined;
    const { defaultMaxTokens: usualMaxTokens = tokens }: TextClient = wires[input.wire].client;
    const paidOutputTokens = Math.min(tokens, usualMaxTokens);
    const defaultMaxTokens = Math.min(textCall.defaultMaxTokens, paidOutputTokens);
    const size = {
      ...cost.size,
      affordableOutputTokens: paidOutputTokens,
      maxOutputTokens: paidOutputTokens * choices,
    };
    const exchanges = new TextExchangeFactory({ ...textCall, paidOutputTokens, defaultMaxTokens });
    return { ...plan, exchanges, cost: { ...cost, size } };
  }

  #textCallOf({ refusesUnsupported }: Call, input: TextInput, { model: { maxOutputTokens } }: ServingModel): TextCall {
    const { params, body, forward } = input;
    const { outputTokens } = this.deps.relay.limits;
    return {
      wire: input.wire,
      body,
      model: input.model,
      stream: params.stream,
      includeUsage: params.includeUsage,
      showsCost: params.showsCost,
      choices: params.choices,
      outputLimitNames: params.outputLimitNames,
      foreignNames: params.foreignNames,
      hasPlainFiles: params.hasPlainFiles,
      refusesUnsupported,
      asArray: input.asArray,
      defaultMaxTokens: Math.min(outputTokens, maxOutputTokens ?? outputTokens),
      answerId: input.answerId,
      echo: input.echo,
      inputTokens: estimateTokens(textBytesOf(body, params.media)) + params.media.tokens,
      ownHeaders: forward === undefined ? noHeaders : hintHeaders.filter((name) => forward.headers[name] !== undefined),
    };
  }

  /** Returns a function that finds the price of a fallback model. The function throws as `catalog.resolve` does. */
  #fallbackPrices({ caller }: Call, { model: { name } }: ServingModel): FeesOptions["fallbackPrice"] {
    return (fallback) => {
      const catalog = this.deps.relay.catalog.current();
      const channels = catalog.candidates(name, caller.group).map(({ channel }) => channel);
      const servedModel = gatewayModelName(catalog, channels, fallback);
      return servedModel === undefined ? undefined : catalog.resolve(caller, servedModel, ["chat"]).price;
    };
  }

  async exchange(
    { call, input, fees, exchanges, dropped, finishAfterDisconnect: mayBeAgent = false }: TextPlan,
    route: WireRoute,
    history: "withoutSignatures" | undefined,
  ): Promise<Exchange> {
    const { wire, provider, candidate } = route;
    const { dialect } = provider;
    const upstream = wire === "chat" && dialect !== undefined ? chatWireForDialect(dialect) : textWire(wire);
    const { admitted, params } = input;
    const foreignIds = admitted.removableItems.size === 0 ? undefined : foreignItems(admitted, channelKeyIdOf(route));
    const rulesModel = provider.hasDeployments === true ? this.#modelOf(candidate) : undefined;
    const made = await exchanges.make(upstream, candidate.upstreamModel, {
      history,
      foreignItems: foreignIds,
      rulesModel,
      isAnthropic: provider.isAnthropic,
    });
    const modelExchange =
      dropped.length === 0 ? made : { ...made, dropped: made.dropped.map((path) => pathBefore(path, dropped)) };
    input.onStart?.();
    const withModels =
      wire === "messages" ? await this.#withModels(modelExchange, candidate.channel, params) : modelExchange;
    const isByAgent = mayBeAgent && isAgent(candidate.upstreamModel);
    const checked = fees.checkExchange(isByAgent ? agentExchange(withModels, upstream) : withModels);
    const exchange = dropped.length === 0 ? checked : { ...checked, dropped: [...dropped, ...(checked.dropped ?? [])] };
    if (params.createsObjects !== true) return exchange;
    return withRememberedIds(this.deps, call, input, exchange, channelKeyIdOf(route));
  }

  /** Returns the name of the model behind a deployment. The model decides the rules of a request. */
  #modelOf({ channel, upstreamModel }: Candidate): string {
    if (isKnownModel(upstreamModel)) return upstreamModel;
    return gatewayModelName(this.deps.relay.catalog.current(), [channel], upstreamModel) ?? upstreamModel;
  }

  /** Adds the prices of a channel's other models to an exchange, and names its fallback models as the channel does. */
  async #withModels(exchange: Exchange, channel: CatalogChannel, { fees }: TurnParams): Promise<Exchange> {
    const catalog = this.deps.relay.catalog.current();
    const nameOf = (model: string): string | undefined => gatewayModelName(catalog, [channel], model);
    const priceOf = (model: string): Price | undefined => catalog.priceOf(nameOf(model) ?? "");
    // A request that was converted to another wire names no fallback models.
    const isNamed = exchange.requestedFees === undefined && fees?.tools.some(({ fallback }) => fallback !== undefined);
    if (isNamed !== true || !Buffer.isBuffer(exchange.body)) return { ...exchange, priceOf };
    return { ...exchange, priceOf, body: await withFallbackNames(exchange.body, channel, nameOf) };
  }

  countUnsupported({ exchanges }: TextPlan, wire: UpstreamWire, upstreamModel: string): Promise<number> {
    return exchanges.countUnsupported(wire, upstreamModel);
  }
}

/**
 * Removes tools and tiers without a price, if the group allows that and all of them can be removed. Members that make
 * the vendor choose a model are removed even if the group passes unpriced tools.
 */
function withoutUnpricedFees(
  { refusesUnsupported }: Call,
  input: TextInput,
  fees: RequestedFees,
  { model: { price }, unpriced }: ServingModel,
  fallbackPrice: FeesOptions["fallbackPrice"],
): Pick<TextPlan, "input" | "dropped"> {
  const { body, params } = input;
  if (unpriced === "refuse" || refusesUnsupported) return { input, dropped: [] };
  const isPriced = (tool: RequestedTool): boolean =>
    tool.fallback === undefined
      ? isToolPriced(tool, price) && tool.surchargePath === undefined
      : priceOrNone(fallbackPrice, tool.fallback) !== undefined;
  const isSent = (tool: RequestedTool): boolean =>
    tool.choosesModel !== true && (unpriced === "pass" || isPriced(tool));
  const isTierSent = (tier: RequestedTier): boolean => unpriced === "pass" || isTierPriced(tier, price);
  if (fees.tools.every(isSent) && fees.tiers.every(isTierSent)) return { input, dropped: [] };
  const priced = withoutUnpriced(body, fees, isSent, isTierSent);
  if (priced === undefined) return { input, dropped: [] };
  return { input: { ...input, body: priced.body, params: { ...params, fees: priced.fees } }, dropped: priced.dropped };
}

/** Headers that request optional features. Vendors of other wires do not get them. */
const hintHeaders = ["anthropic-beta"];
const noHeaders: readonly string[] = [];

/** Creates an answer id with the prefix of the wire. */
export function newAnswerId(deps: Deps, wire: ClientWireName): string {
  return wires[wire].client.answerPrefix + deps.newAnswerId().replace(/^answer_/, "");
}
