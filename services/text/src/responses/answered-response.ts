import { isRecord, parseRecord } from "@modelgate/wires/json";
import { SseDecoder } from "@modelgate/wires/sse";
import type { JsonObject } from "@modelgate/wires/text";

/** Returns the response object of an answer: the JSON body, or the terminal event in the last frames of a stream. */
export function responseIn(answer: string): JsonObject | undefined {
  const whole = parseRecord(answer);
  if (whole !== undefined) return whole;
  const decoder = new SseDecoder();
  const frames = [...decoder.push(Buffer.from(answer)), ...decoder.end()];
  for (const { data } of frames.toReversed()) {
    const response = parseRecord(data)?.["response"];
    if (isRecord(response)) return response;
  }
  return undefined;
}
