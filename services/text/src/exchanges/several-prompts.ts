import type {
  AnswerContext,
  BatchConversion,
  TextClient,
  JsonObject,
  ReportedExtraUsage,
  TextAnswer,
  TextRequest,
  TextTarget,
  TextVendor,
  VendorTextWire,
} from "@modelgate/wires/text";
import { eventStream, exchangeWith, usageOfAll, type ConvertedCall, type Exchange } from "@modelgate/relay";
import { addUnits, type Units } from "@modelgate/contracts";
import { answerText } from "./converted.ts";
import { maxTaskMs, type TextCall } from "./text-call.ts";

export interface PromptBatchCall {
  readonly call: TextCall;
  readonly client: TextClient;
  readonly batch: BatchConversion;
  readonly upstream: VendorTextWire;
}

/**
 * Creates the exchange of a completions request with several prompts, for a chat model. Each prompt becomes one request
 * on the same route. The call has one hold and one usage event. The client's stream begins when all requests are
 * answered.
 */
export async function promptBatchExchange(
  { call, client, batch, upstream }: PromptBatchCall,
  requestBody: JsonObject,
  upstreamModel: string,
): Promise<Exchange> {
  const { requests, dropped } = batch.read(requestBody);
  const [first, ...others] = requests;
  const converted: ConvertedCall<TextVendor, TextRequest, TextAnswer> = {
    unsupportedRules: { spelling: client.spelling, refusesUnsupported: call.refusesUnsupported },
    dropped,
    bodyBytes: call.body.length,
    taskWaitMs: maxTaskMs,
    requests: () => [{ ...first, stream: false }, ...others.map((request) => ({ ...request, stream: false }))],
    render(answers) {
      const all = answers.map(({ answer }, index) => ({ answer, request: requests[index] ?? first }));
      const context: AnswerContext = {
        model: call.model,
        requestBody,
        request: first,
        answerId: call.answerId,
        now: Math.floor(Date.now() / 1_000),
        inputTokens: call.inputTokens,
      };
      return {
        body: Buffer.from(call.stream ? batch.renderStream(all, context) : JSON.stringify(batch.render(all, context))),
        contentType: call.stream ? eventStream : undefined,
        usage: usageOfAll(all.map(({ answer }) => answer)),
        fees: feesOfAll(answers.map(({ json }) => upstream.vendor.fees(json))),
        text: () => all.map(({ answer }) => answerText(answer)).join(""),
      };
    },
  };
  const target: TextTarget = { model: upstreamModel, defaultMaxTokens: call.defaultMaxTokens };
  return await exchangeWith(upstream, converted, target);
}

/** Adds up the charges that the answers report. All prompts are sent with the same service tier. */
function feesOfAll(all: readonly (ReportedExtraUsage | undefined)[]): ReportedExtraUsage {
  return {
    calls: all.flatMap((fees) => fees?.calls ?? []),
    counts: all.reduce<Units>((sum, fees) => addUnits(sum, fees?.counts ?? {}), {}),
    tier: all.find((fees) => fees?.tier !== undefined)?.tier,
  };
}
