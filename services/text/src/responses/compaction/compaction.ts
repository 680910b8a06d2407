import { parseAnswer, renderJson, type Exchange } from "@modelgate/relay";
import {
  textWires,
  type AnswerContext,
  type JsonObject,
  type TextAnswer,
  type VendorTextWire,
} from "@modelgate/wires/text";
import { CompactionWriter } from "./compaction-writer.ts";
import { summaryIn, summaryRequest, summaryTokens } from "./summary.ts";
import { ConvertTranslator } from "../../exchanges/convert-translator.ts";
import { textReader } from "../../exchanges/text-reader.ts";

/** A conversation that is to be summed up by whatever model serves it. */
export interface Compaction {
  readonly model: string;
  readonly stream: boolean;
  readonly instructions: string | undefined;
  /** All items of the conversation, without the trigger. */
  readonly items: readonly JsonObject[];
  readonly seal: (summary: string) => string;
  readonly answerId: string;
  /** The client's own body, for what the answer repeats of it. */
  readonly requestBody: JsonObject;
  /** Its size. */
  readonly requestBytes: number;
  /** Renders a complete answer. */
  readonly render: (answer: TextAnswer, sealed: string, context: AnswerContext) => JsonObject;
}

/** Has a model sum a conversation up, and gives the sealed summary as the answer. */
export async function compactExchange(
  compaction: Compaction,
  upstream: VendorTextWire,
  upstreamModel: string,
): Promise<Exchange> {
  const { model, stream, instructions, items, seal } = compaction;
  const { name: wire, vendor } = upstream;
  const request = summaryRequest(model, stream, instructions, items);
  const context: AnswerContext = {
    model,
    requestBody: compaction.requestBody,
    request,
    answerId: compaction.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: 0,
  };
  const { body } = vendor.render(request, { model: upstreamModel, defaultMaxTokens: summaryTokens });
  return {
    wire,
    body: await renderJson(body, compaction.requestBytes),
    streams: stream,
    dropped: [],
    read: textReader(compaction, upstream, {
      async whole(bytes) {
        const answer = await parseAnswer(bytes);
        const parsed = vendor.parse(answer);
        const summary = summaryIn(parsed);
        const rendered = Buffer.from(JSON.stringify(compaction.render(parsed, seal(summary), context)));
        return { body: rendered, usage: vendor.usage(answer), words: () => summary };
      },
      translator() {
        const writer = new CompactionWriter(textWires.responses.client.stream(context), seal);
        return new ConvertTranslator({ upstream, writer });
      },
    }),
  };
}

/** The answer to a turn that ends in a compaction: a response whose only item it is. */
export function compactedTurn(answer: TextAnswer, sealed: string, context: AnswerContext): JsonObject {
  const part = { kind: "compaction", seal: { wire: "responses", kind: "encrypted_content", value: sealed } } as const;
  return textWires.responses.client.render({ ...answer, choices: [{ parts: [part], finish: "stop" }] }, context);
}
