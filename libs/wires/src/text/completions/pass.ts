import { endChunksEarly } from "../chat/early-end.ts";
import { chatPass } from "../chat/pass.ts";
import type { PassCodec } from "../pass.ts";

const choicesWord = Buffer.from('"choices"');

/** Text completions, passed through: chunks and errors are those of chat but for where the words stand. */
export const completionsPass: PassCodec = {
  ...chatPass,
  boundOrder: () => ["max_tokens"],
  written(frame) {
    const at = frame.indexOf(choicesWord);
    return at < 0 ? "" : frame.toString("utf8", at, frame.lastIndexOf(0x7d));
  },
  earlyEnd: (options) => endChunksEarly(options, { text: "", logprobs: null, finish_reason: "length" }),
};
