import type { AreaHandlers } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { speech } from "./routes/speech.ts";
import { transcriptions, translations } from "./routes/transcripts.ts";

/** Returns the handlers of the audio area's endpoints. */
export function routes(deps: Deps): AreaHandlers<"audio"> {
  return { transcriptions: transcriptions(deps), translations: translations(deps), speech: speech(deps) };
}
