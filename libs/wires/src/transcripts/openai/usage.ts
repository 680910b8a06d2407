import type { Units } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** Reads `usage` by tokens or by duration, else the duration of verbose_json; undefined where an answer has neither. */
export function readUsage({ usage, duration }: JsonRecord): Units | undefined {
  if (isRecord(usage)) {
    const { seconds, input_tokens: input, output_tokens: output, input_token_details: details } = usage;
    if (isAmount(seconds)) return { seconds };
    if (isAmount(input) || isAmount(output)) return tokens(amount(input), amount(output), details);
  }
  return isAmount(duration) ? { seconds: duration } : undefined;
}

function tokens(input: number, output: number, details: unknown): Units {
  const text = isRecord(details) ? amount(details["text_tokens"]) : 0;
  // Input that is not said to be text is what was heard.
  return { inputTokens: Math.min(text, input), inputAudioTokens: Math.max(0, input - text), outputTokens: output };
}

function amount(value: unknown): number {
  return isAmount(value) ? Math.round(value) : 0;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.MAX_SAFE_INTEGER;
}
