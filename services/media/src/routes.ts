import type { EndpointId } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { imageEdits, imageGenerations } from "./routes/images.ts";

/** The endpoints of the media area. */
export function routes(deps: Deps): Readonly<Partial<Record<EndpointId, EndpointHandler>>> {
  return { imageGenerations: imageGenerations(deps), imageEdits: imageEdits(deps) };
}
