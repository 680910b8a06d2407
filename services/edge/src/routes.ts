import { IncomingMessage, ServerResponse, type RequestListener } from "node:http";
import { Socket } from "node:net";
import express from "express";
import { Failure } from "@modelgate/contracts";
import {
  answerFailure,
  failureOf,
  idsOf,
  lingerOver,
  refuseUpgrade,
  statusOf,
  type UpgradeHandler,
} from "@modelgate/platform";
import type { Deps } from "./deps.ts";
import { contextOf, type Step } from "./request-context.ts";
import { admit } from "./middleware/admit.ts";
import { caller } from "./middleware/caller.ts";
import { allowedOrigin, cors } from "./middleware/cors.ts";
import { endpoint } from "./middleware/endpoint.ts";
import { key } from "./middleware/key.ts";
import { requestId } from "./middleware/request-id.ts";
import { tags } from "./middleware/tags.ts";
import { answerPage } from "./pages.ts";
import { reportEnd, logFailure } from "./request-end.ts";

/**
 * The edge's chain, each step a file: request id → endpoint → key → caller → tags → admit → forward. No step reads a body.
 * Whatever a step throws is rendered in the format of the request.
 */
export function routes(deps: Deps): { readonly handler: RequestListener; readonly upgrade: UpgradeHandler } {
  const { log, forward } = deps;
  const preflight = cors(deps.corsOrigins);
  const findCaller = caller(deps.tokens);
  const letIn = admit(deps);

  const enter: Step = (request, response) => {
    key(request);
    const found = findCaller(request);
    return found === undefined ? admitted(request, response) : found.then(() => admitted(request, response));
  };
  const admitted = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { endpoint: row } = contextOf(request);
    if (row?.unimplemented) throw new Failure("api_not_implemented");
    tags(request);
    await letIn(request, response);
  };

  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false).set("case sensitive routing", true);
  // What express would put under each request and answer: with node's own they keep their shape, and what reads them its speed.
  Object.assign(app, { request: IncomingMessage.prototype, response: ServerResponse.prototype });
  app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
    requestId(request, response);
    if (preflight(request, response)) return;
    response.once("close", () =>
      reportEnd(log, request, { status: statusOf(response), whole: response.writableFinished }),
    );
    next();
  });
  app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
    if (request.method !== "GET" || !answerPage(response, contextOf(request).path)) next();
  });
  app.use((request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    try {
      endpoint(request);
      void Promise.resolve(enter(request, response)).then(() => next(), next);
    } catch (error) {
      next(error);
    }
  });
  app.use((request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    if (response.destroyed) return; // the client left while it was let in
    try {
      forward(request, response);
    } catch (error) {
      next(error);
    }
  });
  // express knows an error handler by its four parameters.
  app.use((error: unknown, request: IncomingMessage, response: ServerResponse, _next: unknown) => {
    const failure = failureOf(error);
    const context = contextOf(request);
    logFailure(log, failure, idsOf(context));
    lingerOver(request);
    answerFailure(response, context.format, failure, context.requestId);
  });
  return { handler: app, upgrade: upgradeHandler(enter, deps) };
}

/** The status of a request that became a WebSocket. */
const switching = 101;

/** A WebSocket goes through the same steps; what is refused is refused before the upgrade, as plain HTTP. */
function upgradeHandler(enter: Step, { log, forward, corsOrigins }: Deps): UpgradeHandler {
  const checkOrigin = allowedOrigin(corsOrigins);
  return (request, socket, head) => {
    // Never written to: it carries what the steps say of headers, and ends with the socket.
    const response = new ServerResponse(request);
    let status = switching;
    socket
      .on("error", () => socket.destroy())
      .once("close", () => {
        response.destroy(); // who looks for its end only later finds it
        response.emit("close");
        reportEnd(log, request, { status, whole: true });
      });
    const run = async (): Promise<void> => {
      requestId(request, response);
      endpoint(request);
      checkOrigin(request);
      await enter(request, response);
      if (socket.destroyed) return; // the client left while it was let in
      if (!(socket instanceof Socket)) throw new Error("not a network socket");
      forward.upgrade(request, socket, head, (answered) => {
        status = answered;
      });
    };
    run().catch((error: unknown) => {
      const failure = failureOf(error);
      const context = contextOf(request);
      status = failure.status;
      logFailure(log, failure, idsOf(context));
      refuseUpgrade(socket, context.format, failure, context.requestId);
    });
  };
}
