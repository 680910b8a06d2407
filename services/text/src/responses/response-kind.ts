import { channelKeyIdOf, type WireRoute } from "@modelgate/channels";
import type { UpstreamWire } from "@modelgate/contracts";
import type { FinalAnswer, Call, CallKind, Exchange, ServingModel } from "@modelgate/relay";
import { vendorTextWire } from "@modelgate/wires/text";
import type { Deps } from "../deps.ts";
import { TextExchangeFactory } from "../exchanges/text.ts";
import { TextCallKind, type TextInput, type TextPlan } from "../text-kind.ts";
import { compactExchange, type Compaction } from "./compaction/compaction.ts";
import type { PreparedResponses } from "./prepare.ts";

/** A request for a response, with its references resolved. */
export interface ResponseRequest extends Pick<PreparedResponses, "native"> {
  readonly model: string;
  readonly input: TextInput;
  /** The compaction that the response ends with, or undefined. */
  readonly compaction: Compaction | undefined;
  /** Called with the answer before the client receives its last byte, which waits for the returned promise. */
  readonly onFinalAnswer: (answer: FinalAnswer) => Promise<void> | undefined;
}

interface ResponsePlan extends TextPlan {
  readonly request: ResponseRequest;
  /** Plan of the same call with the client's unchanged body, for the vendor that stores the conversation. */
  readonly nativePlan: TextPlan | undefined;
}

/** Kind of call: responses, which may refer to stored data, be stored, or end in a compaction. */
export class ResponseKind implements CallKind<ResponseRequest, ResponsePlan> {
  readonly #text: TextCallKind;

  constructor(deps: Deps) {
    this.#text = new TextCallKind(deps);
  }

  async plan(call: Call, request: ResponseRequest, serving: ServingModel): Promise<ResponsePlan> {
    const { input, native, compaction } = request;
    const text = await this.#text.plan(call, input, serving);
    return {
      ...text,
      request,
      nativePlan: native && {
        ...text,
        exchanges: new TextExchangeFactory({ ...text.exchanges.call, body: native.body }),
      },
      // The stream contains the summary only when it is complete, so its tokens cannot be counted earlier.
      cost: compaction === undefined ? text.cost : { ...text.cost, billsHiddenOutput: true },
      prefer: native?.channelKey ?? text.prefer,
    };
  }

  async exchange(plan: ResponsePlan, route: WireRoute, history: "withoutSignatures" | undefined): Promise<Exchange> {
    const { compaction, input, native } = plan.request;
    const isNative =
      history === undefined && route.wire === "responses" && channelKeyIdOf(route) === native?.channelKey;
    // Vendors of the responses wire compact by themselves. For any other vendor, the model writes a summary.
    if (compaction === undefined || route.wire === "responses")
      return await this.#text.exchange((isNative ? plan.nativePlan : undefined) ?? plan, route, history);
    input.onStart?.();
    return await compactExchange(compaction, vendorTextWire(route.wire), route.candidate.upstreamModel);
  }

  async countUnsupported(plan: ResponsePlan, wire: UpstreamWire, upstreamModel: string): Promise<number> {
    return plan.request.compaction === undefined ? await this.#text.countUnsupported(plan, wire, upstreamModel) : 0;
  }

  /** Returns undefined for a compaction, because its summary has a separate output limit. */
  withAffordableOutput(plan: ResponsePlan, tokens: number): ResponsePlan | undefined {
    if (plan.request.compaction !== undefined) return undefined;
    const text = this.#text.withAffordableOutput(plan, tokens);
    const nativePlan = plan.nativePlan && this.#text.withAffordableOutput(plan.nativePlan, tokens);
    return text && { ...plan, ...text, nativePlan };
  }

  onFinalAnswer({ request }: ResponsePlan, answer: FinalAnswer): Promise<void> | undefined {
    return request.onFinalAnswer(answer);
  }
}
