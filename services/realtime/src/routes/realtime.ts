import { Failure } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";

/** A call that does not ask for a WebSocket. */
export const refusePlain: EndpointHandler = () => Promise.reject(new Failure("websocket_required"));
