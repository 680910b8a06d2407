import { ServerResponse, type RequestListener } from "node:http";
import { Socket } from "node:net";
import express from "express";
import type { UpgradeHandler } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { setUpgrade } from "./request-context.ts";
import { admit } from "./steps/admit.ts";
import { caller } from "./steps/caller.ts";
import { cors, origin } from "./steps/cors.ts";
import { endpoint, implemented } from "./steps/endpoint.ts";
import { key } from "./steps/key.ts";
import { onError } from "./steps/on-error.ts";
import { pages } from "./steps/pages.ts";
import { report } from "./steps/report.ts";
import { requestId } from "./steps/request-id.ts";
import { tags } from "./steps/tags.ts";
import { toArea } from "./steps/to-area.ts";

/** Creates the edge's app. Each step is a file in `steps`; none reads a body. WebSockets pass the same steps. */
export function createApp(deps: Deps): { readonly handler: RequestListener; readonly upgrade: UpgradeHandler } {
  const { log, tokens, corsOrigins } = deps;
  const app = express().disable("x-powered-by");
  app.use(
    requestId,
    cors(corsOrigins),
    report(log),
    pages,
    endpoint,
    origin(corsOrigins),
    key,
    caller(tokens),
    implemented,
    tags,
    admit(deps),
    toArea(deps),
    onError(deps),
  );
  return { handler: app, upgrade: upgradeTo(app) };
}

/** Runs the steps for a WebSocket, with a response on its socket: refusals precede the upgrade, as plain HTTP. */
function upgradeTo(app: RequestListener): UpgradeHandler {
  return (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.once("finish", () => socket.end());
    try {
      if (!(socket instanceof Socket)) throw new Error("not a network socket");
      response.assignSocket(socket); // from here on the response closes with the socket
      setUpgrade(request, { socket, head });
    } catch {
      socket.destroy(); // an earlier pipelined call is not answered yet
      return;
    }
    app(request, response);
  };
}
