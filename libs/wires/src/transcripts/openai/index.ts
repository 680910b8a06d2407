import type { TranscriptsCodec } from "../hub/codec.ts";
import { readEvent, writeEvents } from "./events.ts";
import { parseAnswer } from "./parse-answer.ts";
import { parseForm } from "./parse-request.ts";
import { renderForm } from "./render-request.ts";
import { readUsage } from "./usage.ts";

/** POST /v1/audio/transcriptions and /v1/audio/translations, both directions. */
export const transcriptsCodec: TranscriptsCodec = {
  parseForm,
  renderForm,
  parseAnswer,
  readUsage,
  readEvent,
  writeEvents,
};
