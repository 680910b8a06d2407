import type { TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/fates.ts";
import { fates } from "./fates.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { MessagesReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { MessagesWriter } from "./writer.ts";

/** The messages wire, both directions. */
export const messagesCodec: TextCodec = {
  wire: "messages",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  reader: () => new MessagesReader(),
  writer: (context) => new MessagesWriter(context),
  spelling: spellings(fates),
};
