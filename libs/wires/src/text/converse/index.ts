import { amazonFraming } from "@modelgate/formats/amazon-stream";
import { isRecord } from "@modelgate/formats/json";
import type { TextWire } from "../hub/wire.ts";
import { requestedFees, converseFees, parseAnswer, readUsage } from "./answer.ts";
import { fieldSupport, renderRequest } from "./request.ts";
import { ConverseReader } from "./stream.ts";

/** Bedrock's Converse API, for vendors only. */
export const converseWire = {
  name: "converse",
  framing: amazonFraming,
  isFirstEvent: ({ messageStart }) => isRecord(messageStart),
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: readUsage,
    fees: converseFees,
    stream: () => new ConverseReader(),
    requestedFees,
    fields: fieldSupport,
  },
} as const satisfies TextWire<"converse">;
