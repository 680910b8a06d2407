import { isRecord, parseRecord } from "@modelgate/wires/json";
import { SseDecoder } from "@modelgate/wires/sse";
import type { JsonObject } from "@modelgate/wires/text";

/** The response object in an answer: JSON as it is, or the terminal event among a stream's last frames. */
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
