import { Failure } from "@modelgate/contracts";
import type { AreaHandlers } from "@modelgate/platform";
import { createClientSecret } from "./client-secrets.ts";
import type { Deps } from "./deps.ts";

/** Returns the handlers of the realtime area's endpoints. Sessions need a WebSocket upgrade. */
export function routes(deps: Deps): AreaHandlers<"realtime"> {
  return {
    realtime: () => Promise.reject(new Failure("websocket_required")),
    gptLive: () => Promise.reject(new Failure("websocket_required")),
    geminiLive: () => Promise.reject(new Failure("websocket_required")),
    createClientSecret: createClientSecret(deps),
  };
}
