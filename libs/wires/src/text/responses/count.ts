import type { CountCodec } from "../hub/codec.ts";
import { readAsk } from "./ask.ts";

/** Counting input tokens: the body is that of a response, of which only what goes in matters. */
export const countTokens: CountCodec = {
  wire: "count-responses",
  ask: readAsk,
  counted: (body) => body,
  read({ input_tokens: tokens }) {
    return typeof tokens === "number" ? tokens : undefined;
  },
  render: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};
