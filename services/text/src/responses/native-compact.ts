import type { Exchange } from "@modelgate/relay";
import { changeResponsesBody, textPasses } from "@modelgate/wires";

/** A compaction by a vendor that has an endpoint for it: passed on as it is. */
export function nativeCompact(body: Buffer, model: string, upstreamModel: string): Exchange {
  const pass = textPasses.responses;
  return {
    wire: "compact",
    body: upstreamModel === model ? body : changeResponsesBody(body, { model: upstreamModel }),
    dropped: [],
    refuses: () => false,
    usageOf: pass.answerUsage,
    whole: (answer) => ({ json: answer, words: () => pass.wordsOf(answer.toString()) }),
    stream: () => {
      throw new Error("a compaction is never streamed");
    },
  };
}
