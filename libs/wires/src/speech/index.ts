import type { SpeechWire } from "@modelgate/contracts";
import type { Wire } from "../wire.ts";
import { content } from "./content/index.ts";
import { deepgram } from "./deepgram/index.ts";
import { elevenlabs } from "./elevenlabs/index.ts";
import type { SpeechClient, SpeechVendor } from "./hub/index.ts";
import { speech } from "./openai/index.ts";

export {
  countCharacters,
  speechFormats,
  type SpeechAnswer,
  type SpeechRequest,
  type SpeechTarget,
  type SpeechVendor,
} from "./hub/index.ts";

export const wires = {
  speech,
  "elevenlabs-speech": elevenlabs,
  "deepgram-speech": deepgram,
  "content-speech": content,
} as const satisfies Readonly<Record<SpeechWire, Wire<SpeechVendor, SpeechClient>>>;
