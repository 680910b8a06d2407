import { amazonFraming } from "../../amazon-stream/framing.ts";
import type { TextCodec } from "../hub/codec.ts";
import { begins } from "./begins.ts";
import { askedFeesOf } from "./fees.ts";
import { parseAnswer, readAnswer } from "./parse-answer.ts";
import { ConverseReader } from "./reader.ts";
import { renderRequest } from "./render-request.ts";

/** The converse wire of Amazon Bedrock: a vendor's only. */
export const converseCodec = {
  wire: "converse",
  framing: amazonFraming,
  begins,
  vendor: {
    renderRequest,
    parseAnswer,
    readAnswer,
    reader: () => new ConverseReader(),
    askedFees: askedFeesOf,
  },
} as const satisfies TextCodec<"converse">;
