import type { EndpointId } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { speech } from "./routes/speech.ts";

/** The endpoints of the audio area. */
export function routes(deps: Deps): Readonly<Partial<Record<EndpointId, EndpointHandler>>> {
  return { speech: speech(deps) };
}
