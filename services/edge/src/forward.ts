import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure, headers, ownHeaderPrefix, type Area } from "@modelgate/contracts";
import { OpenList, partingMs, signCaller, type LocalArea, type LocalAreas, type Logger } from "@modelgate/platform";
import { contextOf } from "./request-context.ts";
import { HttpPass, type HttpTarget } from "./http-pass.ts";
import { PatientAgent } from "./patient-agent.ts";
import { WebSocketPass } from "./web-socket-pass.ts";
import { WebSockets } from "./web-sockets.ts";

/** Addresses of the services, by area. */
export type AreaUrls = Readonly<Partial<Record<Area, string>>>;

/** Headers that a client may not set for the services: what is ours, and what proxies before us would have said. */
const notForwarded = new Set([
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
  "cookie",
  "proxy-authorization",
  "expect",
]);

/** Most idle connections kept to the services. */
const mostIdle = 1_024;

/**
 * Hands a call to its area: directly where it is served by this process, else to its service: nothing is read of a request
 * then, both directions stream, either side's end ends the other.
 */
export interface Forward extends Disposable {
  (request: IncomingMessage, response: ServerResponse): void;
  /** The same for a WebSocket; `answered` is called with its service's status. Throws Failure where no more are taken. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer, answered: (status: number) => void): void;
  /**
   * Takes no more WebSockets, and notifies the services of calls that are still open towards the end of this time that the
   * edge ends: they end each in its wire's words, and book it as failed.
   */
  drain(withinMs: number): Promise<void>;
}

/** How the areas are reached. */
export interface ForwardOptions {
  /** Those of this process. */
  readonly areas: LocalAreas;
  /** The services of the others. */
  readonly urls: AreaUrls;
  /** What services know the edge's word by. */
  readonly secret: string;
  readonly log: Logger;
  readonly silenceMs: number;
  readonly streamSilenceMs: number;
}

/** Opens the ways to the services. */
export function createForward(options: ForwardOptions): Forward {
  const { areas, secret } = options;
  const agent = new PatientAgent({
    keepAlive: true,
    scheduling: "lifo",
    maxSockets: Infinity,
    maxFreeSockets: mostIdle,
  });
  const webSockets = new WebSockets();
  const open = new OpenList<HttpPass>();
  const targets = targetsOf(options, agent);

  function targetOf(request: IncomingMessage): HttpTarget {
    const { endpoint } = contextOf(request);
    const target = endpoint === undefined ? undefined : targets.get(endpoint.area);
    if (target === undefined)
      throw new Failure("api_not_implemented", `This deployment does not run the ${endpoint?.area ?? ""} service.`);
    return target;
  }

  function localArea(request: IncomingMessage): LocalArea | undefined {
    const context = contextOf(request);
    context.isLocal = context.endpoint !== undefined && areas.has(context.endpoint.area);
    return context.endpoint && areas.get(context.endpoint.area);
  }

  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    cleanHeaders(request);
    const local = localArea(request);
    if (local !== undefined) return local.take({ request, response, ...admitted(request) });
    const target = targetOf(request);
    sign(request, secret);
    const listed = open.add(new HttpPass(target, request, response));
    response.once("close", () => listed.remove());
  };
  return Object.assign(forward, {
    upgrade(request: IncomingMessage, socket: Socket, head: Buffer, answered: (status: number) => void): void {
      webSockets.admit();
      cleanHeaders(request);
      const local = localArea(request);
      if (local !== undefined) {
        void local.takeUpgrade({ request, socket, head, ...admitted(request) }).then(answered);
        return;
      }
      const target = targetOf(request);
      sign(request, secret);
      if (head.length > 0) socket.unshift(head);
      webSockets.add(socket, new WebSocketPass(target, request, socket, answered));
    },
    async drain(withinMs: number) {
      // Their services are notified before this server ends by itself what is still open then.
      const timer = setTimeout(
        () => {
          for (const pass of open) pass.notifyGoing();
        },
        withinMs - 2 * partingMs(withinMs),
      );
      timer.unref();
      await webSockets.drain(withinMs);
    },
    [Symbol.dispose]: () => agent.destroy(),
  });
}

/** The services of other processes, by area. */
function targetsOf({ urls, log, silenceMs, streamSilenceMs }: ForwardOptions, agent: PatientAgent) {
  const silence = { silenceMs, streamSilenceMs };
  return new Map(
    Object.entries(urls).map(([area, url]): readonly [string, HttpTarget] => [
      area,
      { url: new URL(url), agent, log, ...silence },
    ]),
  );
}

/** Drops what a client may not say, and writes what the edge says: the id, the path without its key. */
function cleanHeaders(request: IncomingMessage): void {
  const context = contextOf(request);
  const strict = request.headers[headers.strict];
  for (const name of Object.keys(request.headers)) {
    if (name.startsWith(ownHeaderPrefix) || notForwarded.has(name)) delete request.headers[name];
  }
  if (strict !== undefined) request.headers[headers.strict] = strict;
  request.headers[headers.requestId] = context.requestId;
  const traceparent = context.span?.traceparent;
  if (traceparent === undefined) delete request.headers[headers.traceparent];
  else request.headers[headers.traceparent] = traceparent;
  const query = context.query.size === 0 ? "" : `?${context.query.toString()}`;
  request.url = context.path + query;
}

/** What the edge found out of a request that it has let in. */
function admitted(request: IncomingMessage) {
  const { id, endpoint, params, query, caller, requestId, span } = contextOf(request);
  if (id === undefined || endpoint === undefined || caller === undefined || span === undefined)
    throw new Error("a request is forwarded before it is let in");
  return { id, endpoint, params: params ?? {}, query, caller, requestId, span };
}

/** Gives the service of another process the edge's word for who calls. */
function sign(request: IncomingMessage, secret: string): void {
  request.headers[headers.caller] = signCaller(secret, admitted(request).caller);
}
