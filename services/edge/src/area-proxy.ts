import type { IncomingMessage, ServerResponse } from "node:http";
import { createProxyMiddleware, type Plugin, type RequestHandler } from "http-proxy-middleware";
import { Failure, type Area } from "@modelgate/contracts";
import { OpenList } from "@modelgate/platform";
import { PatientAgent } from "./patient-agent.ts";
import { ProxiedCall, type ProxyOptions } from "./proxied-call.ts";
import { ProxiedSession } from "./proxied-session.ts";
import { contextOf, upgradeOf, type Proxied } from "./request-context.ts";

/** The services, and the time that they may be silent. */
export interface AreaProxyOptions extends ProxyOptions {
  /** Their addresses. */
  readonly urls: Readonly<Partial<Record<Area, string | undefined>>>;
}

/** Maximum of idle connections to the services. */
const maxIdleConnections = 1_024;

/**
 * The way to services in other processes: http-proxy-middleware, which reads nothing of a request, streams both ways, and ends
 * either side with the other. What it leaves open is in `ProxiedCall` and `ProxiedSession`.
 */
export class AreaProxy implements Disposable {
  readonly #options: AreaProxyOptions;
  readonly #services: ReadonlyMap<string, RequestHandler>;
  readonly #open = new OpenList<Proxied>();
  readonly #agent = new PatientAgent({
    keepAlive: true,
    scheduling: "lifo",
    maxSockets: Infinity,
    maxFreeSockets: maxIdleConnections,
  });
  /** True where WebSockets are refused. */
  isDraining = false;

  constructor(options: AreaProxyOptions) {
    this.#options = options;
    this.#services = new Map(
      Object.entries(options.urls).flatMap(([area, url]) =>
        url === undefined ? [] : [[area, this.#service(url)] as const],
      ),
    );
  }

  /** Passes a call or WebSocket on to an area's service. Throws Failure api_not_implemented where none is configured. */
  pass(
    area: Area,
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): void | Promise<void> {
    const service = this.#services.get(area);
    if (service === undefined)
      throw new Failure("api_not_implemented", `This deployment does not run the ${area} service.`);
    const upgrade = upgradeOf(request);
    const proxied =
      upgrade === undefined
        ? new ProxiedCall(request, response, this.#options)
        : new ProxiedSession(request, response, this.#options, upgrade);
    contextOf(request).proxied = proxied;
    const listed = this.#open.add(proxied);
    response.once("close", () => listed.remove());
    if (upgrade === undefined) return service(request, response, next);
    service.upgrade(request, upgrade.socket, upgrade.head);
  }

  /**
   * Ends what is still open: notifies the services, which end each call in its wire's words and record it as failed, and
   * breaks off what is left after `waitMs`.
   */
  end(waitMs: number): void {
    for (const proxied of this.#open) proxied.notifyGoing();
    setTimeout(() => {
      for (const proxied of this.#open) proxied.breakOff();
    }, waitMs).unref();
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #service(url: string): RequestHandler {
    return createProxyMiddleware({
      target: url,
      agent: this.#agent,
      selfHandleResponse: true,
      ejectPlugins: true, // its own plugins log every call, and answer errors as text
      plugins: [forwardEvents],
    });
  }
}

/** Hands the proxy's events to the call or WebSocket that they are about. */
const forwardEvents: Plugin = (proxy) => {
  const proxiedOf = (request: IncomingMessage): Proxied | undefined => contextOf(request).proxied;
  proxy.on("proxyReq", (upstream, request) => proxiedOf(request)?.sent(upstream));
  proxy.on("proxyReqWs", (upstream, request) => proxiedOf(request)?.sent(upstream));
  proxy.on("proxyRes", (answer, request) => proxiedOf(request)?.answered(answer));
  proxy.on("error", (error, request) => request && proxiedOf(request)?.failed(error));
};
