import type { AreaHandlers } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { imageEdits, imageGenerations, imageVariations } from "./routes/images.ts";

/** The endpoints of the media area. */
export function routes(deps: Deps): AreaHandlers<"media"> {
  return {
    imageGenerations: imageGenerations(deps),
    imageEdits: imageEdits(deps),
    imageVariations: imageVariations(deps),
  };
}
