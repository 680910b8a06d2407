import type { JsonRecord } from "../../json/fields.ts";
import { indexesOf } from "../chat/early-end.ts";
import { endOfChunks, type EarlyEnd, type EarlyEndOptions } from "../early-end.ts";
import { parseFrameRecord } from "../../sse/frame-json.ts";
import { finishWords } from "./endings.ts";
import { renderUsage } from "./usage.ts";

/** Ends a stream of pieces early: one more piece, in which every open candidate says that it reached its bound. */
export function endPiecesEarly(options: EarlyEndOptions): EarlyEnd {
  return endOfChunks<JsonRecord>(options, {
    endWord: Buffer.from('"finishReason"'),
    read: (frame) => parseFrameRecord(frame),
    ends: (piece) => indexesOf(piece["candidates"], "finishReason"),
    frames({ modelVersion, responseId }, open, used) {
      const candidates = open.map((index) => ({
        content: { role: "model", parts: [] },
        finishReason: finishWords.length,
        index,
      }));
      const piece = { candidates, usageMetadata: renderUsage(used), modelVersion, responseId };
      return [`data: ${JSON.stringify(piece)}\r\n\r\n`];
    },
  });
}
