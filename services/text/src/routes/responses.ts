import { Failure } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { readJson } from "@modelgate/relay";
import type { Deps } from "../deps.ts";
import { readResponses } from "../responses/prepare.ts";
import { runResponses } from "../responses/run-responses.ts";

/** POST /v1/responses (interface endpoint 4). */
export function responses(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, readResponses(deps, call));
    await runResponses(deps, call, body);
  };
}

/** GET /v1/responses by a request that asks for no WebSocket. */
export function connectResponses(): EndpointHandler {
  return () => Promise.reject(new Failure("websocket_required"));
}
