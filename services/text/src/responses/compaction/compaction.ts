import { parseAnswer, renderJson, type Exchange } from "@modelgate/relay";
import {
  wires,
  type AnswerContext,
  type JsonObject,
  type TextAnswer,
  type VendorTextWire,
} from "@modelgate/wires/text";
import { CompactionWriter } from "./compaction-writer.ts";
import { summaryIn, summaryRequest, summaryTokens } from "./summary.ts";
import { ConvertTranslator } from "../../exchanges/convert-translator.ts";
import { textReader } from "../../exchanges/text-call.ts";

/** A conversation that the model summarizes. */
export interface Compaction {
  readonly model: string;
  readonly stream: boolean;
  readonly instructions: string | undefined;
  /** Items of the conversation, without the one that triggers the compaction. */
  readonly items: readonly JsonObject[];
  readonly encrypt: (summary: string) => string;
  readonly answerId: string;
  /** The client's body; the answer repeats some of its fields. */
  readonly requestBody: JsonObject;
  readonly requestBytes: number;
  /** Renders the complete answer. `encrypted` is the encrypted summary. */
  readonly render: (answer: TextAnswer, encrypted: string, context: AnswerContext) => JsonObject;
}

/**
 * Creates the exchange in which a model summarizes a conversation. The client's answer contains the encrypted summary.
 */
export async function compactExchange(
  compaction: Compaction,
  upstream: VendorTextWire,
  upstreamModel: string,
): Promise<Exchange> {
  const { model, stream, instructions, items, encrypt } = compaction;
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
    isStreamed: stream,
    dropped: [],
    read: textReader(compaction, upstream, {
      async whole(bytes) {
        const answer = await parseAnswer(bytes);
        const parsed = vendor.parse(answer);
        const { text, failure } = summaryIn(parsed);
        const rendered = failure === undefined ? compaction.render(parsed, encrypt(text), context) : {};
        const body = Buffer.from(JSON.stringify(rendered));
        return { body, usage: vendor.usage(answer), text: () => text, failure };
      },
      translator() {
        const writer = new CompactionWriter(wires.responses.client.stream(context), encrypt);
        return new ConvertTranslator({ upstream, writer, needsWholeAnswer: true });
      },
    }),
  };
}

/** Returns the answer to a turn that ends in a compaction. */
export function renderCompactedTurn(answer: TextAnswer, encrypted: string, context: AnswerContext): JsonObject {
  const part = {
    kind: "compaction",
    signature: { wire: "responses", kind: "encrypted_content", value: encrypted },
  } as const;
  return wires.responses.client.render({ ...answer, choices: [{ parts: [part], finish: "stop" }] }, context);
}
