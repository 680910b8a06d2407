import type { TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/fates.ts";
import { fates } from "./fates.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { ResponsesReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { ResponsesWriter } from "./writer.ts";

/** The responses wire, both directions. */
export const responsesCodec: TextCodec = {
  wire: "responses",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  reader: () => new ResponsesReader(),
  writer: (context) => new ResponsesWriter(context),
  spelling: spellings(fates),
};
