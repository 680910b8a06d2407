import type { TranscriptsCodec } from "../hub/codec.ts";
import { parseAnswer, readEvent, readUsage, writeEvents } from "./answer.ts";
import { parseForm } from "./parse-form.ts";
import { renderForm } from "./render-form.ts";

/** POST /v1/audio/transcriptions and /v1/audio/translations, both directions. */
export const transcriptsCodec: TranscriptsCodec = {
  parseForm,
  renderForm,
  parseAnswer,
  readUsage,
  readEvent,
  writeEvents,
};
