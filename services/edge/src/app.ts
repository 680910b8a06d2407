import { ServerResponse, type RequestListener } from "node:http";
import { Socket } from "node:net";
import express from "express";
import type { UpgradeHandler } from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { setUpgrade } from "./request-context.ts";
import { admit } from "./steps/admit.ts";
import { identifyCaller } from "./steps/caller.ts";
import { cors, checkOrigin } from "./steps/cors.ts";
import { matchEndpoint, requireImplemented } from "./steps/endpoint.ts";
import { readKey } from "./steps/key.ts";
import { onError } from "./steps/on-error.ts";
import { servePages } from "./steps/pages.ts";
import { reportRequests } from "./steps/report.ts";
import { assignRequestId } from "./steps/request-id.ts";
import { readTags } from "./steps/tags.ts";
import { toArea } from "./steps/to-area.ts";

const anyPath = /^/;

/** Creates the edge's app. No step reads a request's body. */
export function createApp(deps: Deps): { readonly handler: RequestListener; readonly upgrade: UpgradeHandler } {
  const { log, tokens, corsOrigins, proxies } = deps;
  const app = express().disable("x-powered-by");
  // All steps are one route. With `use`, the router would match the path again for each step.
  app
    .route(anyPath)
    .all(
      assignRequestId,
      cors(corsOrigins),
      reportRequests(log),
      servePages,
      matchEndpoint,
      checkOrigin(corsOrigins),
      readKey,
      identifyCaller(tokens, proxies),
      requireImplemented,
      readTags,
      admit(deps),
      toArea(deps),
      onError(deps),
    );
  return { handler: app, upgrade: createUpgradeHandler(app) };
}

/**
 * Creates the handler of upgrade requests. It runs the same steps, with a response on the request's socket, so that a
 * refusal is an ordinary HTTP answer.
 */
function createUpgradeHandler(app: RequestListener): UpgradeHandler {
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
      socket.destroy(); // assignSocket throws while an earlier pipelined call is unanswered
      return;
    }
    app(request, response);
  };
}
