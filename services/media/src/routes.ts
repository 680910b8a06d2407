import type { AreaHandlers } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { imageEdits, imageGenerations, imageVariations } from "./routes/images.ts";

/** Returns the handlers of the media area's endpoints. */
export function routes(deps: Deps): AreaHandlers<"media"> {
  return {
    imageGenerations: imageGenerations(deps),
    imageEdits: imageEdits(deps),
    imageVariations: imageVariations(deps),
  };
}
