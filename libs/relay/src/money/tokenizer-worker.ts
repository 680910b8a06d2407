import { parentPort } from "node:worker_threads";
import { countTokens } from "gpt-tokenizer";
import { piecesOf } from "./token-pieces.ts";
import type { CountJob, CountedTokens } from "./tokenizer.ts";

/** Counts tokens in a worker thread, because loading the tables and counting long texts would delay calls. */
parentPort?.on("message", ({ id, text }: CountJob) => {
  let tokens = 0;
  for (const piece of piecesOf(text)) tokens += countTokens(piece, { disallowedSpecial: new Set() });
  // The lint rule concerns browser windows. The port of a thread has only one receiver.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage({ id, tokens } satisfies CountedTokens);
});
