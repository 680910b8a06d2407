import { amazonFraming } from "../../amazon-stream/index.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { TextWire } from "../hub/wire.ts";
import { askedFeesOf, converseFees, parseAnswer, readUsage } from "./answer.ts";
import { fieldSupport, renderRequest } from "./request.ts";
import { ConverseReader } from "./stream.ts";

/** The converse wire of Amazon Bedrock: a vendor's only. */
export const converseWire = {
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
    fields: fieldSupport,
  },
} as const satisfies TextWire<"converse">;

/** Returns true if a stream can begin with an event: with the start of a message, and with no failure. */
function begins({ messageStart }: JsonRecord): boolean {
  return isRecord(messageStart);
}
