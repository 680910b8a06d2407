import type { AnswerContext, StreamWriter, TextCodec } from "../hub/codec.ts";
import { spellings } from "../hub/fates.ts";
import { fates } from "./fates.ts";
import { arrayFraming, sseFraming } from "./framing.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseRequest } from "./parse-request.ts";
import { ContentReader } from "./reader.ts";
import { renderAnswer } from "./render-answer.ts";
import { renderRequest } from "./render-request.ts";
import { ContentWriter } from "./writer.ts";

/** The content-generation wire, both directions; its streams are server-sent events. */
export const contentCodec: TextCodec = {
  wire: "content",
  parseRequest,
  renderRequest,
  parseAnswer,
  renderAnswer,
  reader: () => new ContentReader(),
  writer: (context) => new ContentWriter(context, sseFraming()),
  spelling: spellings(fates),
};

/** A stream for a client that did not ask for `alt=sse`: one JSON array. */
export function contentArrayWriter(context: AnswerContext): StreamWriter {
  return new ContentWriter(context, arrayFraming());
}
