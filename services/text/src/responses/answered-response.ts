import { isRecord, parseRecord } from "@modelgate/formats/json";
import { SseDecoder } from "@modelgate/formats/sse";
import type { JsonObject } from "@modelgate/wires/text";

/** Returns the response object in an answer, which is JSON or a stream of events. */
export function responseIn(answer: string): JsonObject | undefined {
  const parsed = parseRecord(answer);
  if (parsed !== undefined) return parsed;
  const decoder = new SseDecoder();
  const frames = [...decoder.push(Buffer.from(answer)), ...decoder.end()];
  for (const { data } of frames.toReversed()) {
    const response = parseRecord(data)?.["response"];
    if (isRecord(response)) return response;
  }
  return undefined;
}
