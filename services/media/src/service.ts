import { defineService, serveArea } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { imageEdits, imageGenerations, imageVariations } from "./routes/images.ts";

/** The service of the media area. */
export const service = defineService("area", variables, async (context) => {
  const { env, log } = context;
  const deps = await openDeps(context);
  const handlers = {
    imageGenerations: imageGenerations(deps),
    imageEdits: imageEdits(deps),
    imageVariations: imageVariations(deps),
  };
  return {
    serves: serveArea({ area: "media", secrets: env.relay.secrets, log, refused: deps.refused, handlers }),
    ready: () => deps.ready(),
  };
});
