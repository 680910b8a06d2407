import { Failure } from "@modelgate/contracts";
import type { AreaHandlers } from "@modelgate/platform";

/** The endpoints of the realtime area: of sessions alone, so a call that asks for no WebSocket is refused. */
export function routes(): AreaHandlers<"realtime"> {
  return { realtime: () => Promise.reject(new Failure("websocket_required")) };
}
