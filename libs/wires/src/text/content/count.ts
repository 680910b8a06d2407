import { isRecord } from "../../json/fields.ts";
import type { CountCodec } from "../hub/codec.ts";
import { readAsk, countedContent } from "./ask.ts";

/** Counting input tokens, of contents alone or of a whole request inside the body. */
export const countTokens: CountCodec = {
  wire: "count-content",
  ask: (body, path) => readAsk(isRecord(body) ? countedContent(body) : body, path),
  counted: countedContent,
  read({ totalTokens: tokens }) {
    return typeof tokens === "number" ? tokens : undefined;
  },
  render: (tokens) => ({ totalTokens: tokens }),
};
