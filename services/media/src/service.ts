import { defineService, serveArea } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { routes } from "./routes.ts";

/** Service of the media area: generation and editing of images. */
export const service = defineService("area", variables, async (context) => {
  const { env, log } = context;
  const deps = await openDeps(context);
  return {
    serves: serveArea({
      area: "media",
      secrets: env.relay.secrets,
      log,
      refused: deps.refused,
      handlers: routes(deps),
    }),
    ready: () => deps.ready(),
  };
});
