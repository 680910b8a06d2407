import { defineService, serveArea } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { routes } from "./routes.ts";

/** Service of the audio area: transcriptions, translations and speech. */
export const service = defineService("area", variables, async (context) => {
  const { env, log } = context;
  const deps = await openDeps(context);
  return {
    serves: serveArea({
      area: "audio",
      secrets: env.relay.secrets,
      log,
      refused: deps.refused,
      handlers: routes(deps),
    }),
    ready: () => deps.ready(),
    close: () => deps.lengths[Symbol.asyncDispose](),
  };
});
