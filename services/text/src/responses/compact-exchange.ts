import type { UpstreamWire } from "@modelgate/contracts";
import { ConvertStream, type Exchange } from "@modelgate/relay";
import {
  textCodecs,
  textPasses,
  type AnswerContext,
  type JsonObject,
  type TextAnswer,
  type TextWire,
} from "@modelgate/wires";
import { CompactionWriter } from "./compaction-writer.ts";
import { summaryIn, summaryRequest, summaryTokens } from "./summary.ts";

/** A conversation that is to be summed up by whatever model serves it. */
export interface Compaction {
  readonly model: string;
  readonly stream: boolean;
  readonly instructions: string | undefined;
  /** Everything that was said, without the trigger. */
  readonly items: readonly JsonObject[];
  readonly seal: (summary: string) => string;
  readonly answerId: string;
  /** The client's own body, for what the answer repeats of it. */
  readonly asked: JsonObject;
  /** What a whole answer is told as. */
  readonly render: (answer: TextAnswer, sealed: string, context: AnswerContext) => JsonObject;
}

/** The exchange that has a model sum a conversation up, and tells the sealed summary as the answer. */
export function compactExchange(compaction: Compaction, wire: TextWire, upstreamModel: string): Exchange {
  const { model, stream, instructions, items, seal } = compaction;
  const vendor = textCodecs[wire];
  const request = summaryRequest(model, stream, instructions, items);
  const context: AnswerContext = {
    model,
    asked: compaction.asked,
    request,
    answerId: compaction.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: 0,
  };
  const { body } = vendor.renderRequest(request, { model: upstreamModel, defaultMaxTokens: summaryTokens });
  return {
    wire: wire satisfies UpstreamWire,
    body: Buffer.from(JSON.stringify(body)),
    dropped: [],
    refuses: (frame) => textPasses[wire].see(frame).failed,
    usageOf: textPasses[wire].answerUsage,
    whole(answer) {
      const told = vendor.parseAnswer(JSON.parse(answer.toString()));
      const summary = summaryIn(told);
      const json = Buffer.from(JSON.stringify(compaction.render(told, seal(summary), context)));
      return { json, words: () => summary };
    },
    stream: (produced) =>
      new ConvertStream({ wire, writer: new CompactionWriter(textCodecs.responses.writer(context), seal) }, produced),
  };
}

/** The answer to a turn that ends in a compaction: a response whose only item it is. */
export function compactedTurn(answer: TextAnswer, sealed: string, context: AnswerContext): JsonObject {
  const part = { kind: "compaction", seal: { wire: "responses", kind: "encrypted_content", value: sealed } } as const;
  return textCodecs.responses.renderAnswer({ ...answer, choices: [{ parts: [part], finish: "stop" }] }, context);
}
