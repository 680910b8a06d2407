import { wordsReader } from "../written-words.ts";

/** Reads what the model wrote out of raw JSON. */
export const wordsOf = wordsReader([
  "content",
  "reasoning_content",
  "reasoning",
  "refusal",
  "name",
  "arguments",
  "text",
  "thinking",
]);

const thoughtWords = ['"reasoning', '"thinking', '"thought'].map((word) => Buffer.from(word));

/** Whether a frame of a stream may hold thoughts. */
export function showsThoughts(frame: Buffer): boolean {
  return thoughtWords.some((word) => frame.includes(word));
}
