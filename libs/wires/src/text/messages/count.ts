import type { CountCodec } from "../hub/codec.ts";
import { askOfMessageCount } from "./ask.ts";

/** Counting input tokens: the request leaves out the bound of its output, which is no part of what is counted. */
export const countTokens: CountCodec = {
  wire: "count-messages",
  ask: askOfMessageCount,
  counted: (body) => ({ ...body, max_tokens: 1 }),
  read({ input_tokens: tokens }) {
    return typeof tokens === "number" ? tokens : undefined;
  },
  render: (tokens) => ({ input_tokens: tokens }),
};
