import { amazonFraming } from "../../amazon-stream/framing.ts";
import type { TextCodec } from "../hub/codec.ts";
import { begins } from "./begins.ts";
import { askedFeesOf, converseFees } from "./fees.ts";
import { parseAnswer, readUsage } from "./parse-answer.ts";
import { ConverseReader } from "./reader.ts";
import { renderRequest } from "./render-request.ts";

/** The converse wire of Amazon Bedrock: a vendor's only. */
export const converseCodec = {
  name: "converse",
  framing: amazonFraming,
  begins,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: readUsage,
    fees: converseFees,
    stream: () => new ConverseReader(),
    askedFees: askedFeesOf,
  },
} as const satisfies TextCodec<"converse">;
