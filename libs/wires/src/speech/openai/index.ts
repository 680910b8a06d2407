import type { SpeechCodec } from "../hub/codec.ts";
import { readEvent, writeAudio, writeDone } from "./events.ts";
import { parseRequest } from "./parse-request.ts";
import { renderRequest } from "./render-request.ts";

/** The speech wire (POST /v1/audio/speech), both directions. */
export const speechCodec: SpeechCodec = {
  wire: "speech",
  parseRequest,
  renderRequest,
  readEvent,
  writeAudio,
  writeDone,
  spelling: {
    model: "model",
    input: "input",
    voice: "voice",
    instructions: "instructions",
    format: "response_format",
    speed: "speed",
    events: "stream_format",
  },
};
