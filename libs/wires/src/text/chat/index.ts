import type { TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/fates.ts";
import { fates } from "./fates.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { ChatReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { ChatWriter } from "./writer.ts";

/** The chat-completions wire, both directions. What passes through untouched is in `pass.ts`. */
export const chatCodec: TextCodec = {
  wire: "chat",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  reader: () => new ChatReader(),
  writer: (context) => new ChatWriter(context),
  spelling: spellings(fates),
};
