import { parentPort } from "node:worker_threads";
import { countTokens } from "gpt-tokenizer";
import { piecesOf } from "./token-pieces.ts";
import type { CountJob, CountedTokens } from "./tokenizer.ts";

/** A thread of its own for counting: the tables and long texts hold no other call up there (`tokenizer.ts`). */
parentPort?.on("message", ({ id, text }: CountJob) => {
  let tokens = 0;
  for (const piece of piecesOf(text)) tokens += countTokens(piece, { disallowedSpecial: new Set() });
  // The rule is about windows; a thread's port has one other end.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage({ id, tokens } satisfies CountedTokens);
});
