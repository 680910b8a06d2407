import { defineService, serveArea } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { speech } from "./routes/speech.ts";
import { transcriptions, translations } from "./routes/transcripts.ts";

/** The service of the audio area. */
export const service = defineService("area", variables, async (context) => {
  const { env, log } = context;
  const deps = await openDeps(context);
  const handlers = { transcriptions: transcriptions(deps), translations: translations(deps), speech: speech(deps) };
  return {
    serves: serveArea({ area: "audio", secrets: env.relay.secrets, log, refused: deps.refused, handlers }),
    ready: () => deps.ready(),
    close: () => deps.lengths[Symbol.asyncDispose](),
  };
});
