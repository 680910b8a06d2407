import { wordsReader } from "../written-words.ts";

/** Reads what the model wrote out of raw JSON. */
export const wordsOf = wordsReader(["delta", "text", "refusal", "name", "arguments"]);

const thoughtWords = ["response.reasoning", '"reasoning'].map((word) => Buffer.from(word));

/** Whether a frame of a stream may hold thoughts. */
export function showsThoughts(frame: Buffer): boolean {
  return thoughtWords.some((word) => frame.includes(word));
}
