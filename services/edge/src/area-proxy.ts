import type { IncomingMessage, ServerResponse } from "node:http";
import { createProxyMiddleware } from "http-proxy-middleware";
import { Failure, type Area } from "@modelgate/contracts";
import { OpenList } from "@modelgate/platform";
import { RetryingAgent } from "./retrying-agent.ts";
import { containErrors, ProxiedCall, type ProxyOptions } from "./proxied-call.ts";
import { ProxiedSession } from "./proxied-session.ts";
import { contextOf, upgradeOf, type Proxied } from "./request-context.ts";

type AreaProxyOptions = ProxyOptions & { readonly urls: Readonly<Partial<Record<Area, string | undefined>>> };

/**
 * Proxies calls to services of other processes. http-proxy-middleware does not read bodies, and streams in both
 * directions. `ProxiedCall` and `ProxiedSession` handle errors.
 */
export class AreaProxy implements Disposable {
  readonly #options: AreaProxyOptions;
  readonly #open = new OpenList<Proxied>();
  readonly #agent = new RetryingAgent({ keepAlive: true, scheduling: "lifo", maxFreeSockets: 1_024 });
  readonly #proxy = createProxyMiddleware({
    router: (request) => contextOf(request).serviceUrl ?? "",
    agent: this.#agent,
    selfHandleResponse: true,
    ejectPlugins: true, // the package's plugins log every call, and answer errors as text
    plugins: [
      (proxy) => {
        proxy.on("proxyReq", (upstream, request) => contextOf(request).proxied?.onRequest(upstream));
        proxy.on("proxyReqWs", (upstream, request) => contextOf(request).proxied?.onRequest(upstream));
        proxy.on("proxyRes", (answer, request) =>
          containErrors(this.#options.log, request, () => contextOf(request).proxied?.onAnswer(answer)),
        );
        proxy.on("error", (error, request) => request && contextOf(request).proxied?.onError(error));
      },
    ],
  });
  /** True while this process shuts down. New WebSockets are then refused. */
  isDraining = false;

  constructor(options: AreaProxyOptions) {
    this.#options = options;
  }

  /** Passes a call or WebSocket to the area's service. Throws Failure api_not_implemented if the area has no address. */
  pass(
    area: Area,
    request: IncomingMessage,
    response: ServerResponse,
    next: (error?: unknown) => void,
  ): void | Promise<void> {
    const url = this.#options.urls[area];
    if (url === undefined)
      throw new Failure("api_not_implemented", `This deployment does not run the ${area} service.`);
    const upgrade = upgradeOf(request);
    const proxied =
      upgrade === undefined
        ? new ProxiedCall(request, response, this.#options)
        : new ProxiedSession(request, response, this.#options, upgrade);
    const context = contextOf(request);
    context.proxied = proxied;
    context.serviceUrl = url;
    const entry = this.#open.add(proxied);
    response.once("close", () => entry.remove());
    if (upgrade === undefined) return this.#proxy(request, response, next);
    this.#proxy.upgrade(request, upgrade.socket, upgrade.head);
  }

  /**
   * Notifies the services that the edge stops, so that they end their open calls with an error. After `waitMs`, the
   * edge itself ends the calls that are still open.
   */
  end(waitMs: number): void {
    for (const proxied of this.#open) proxied.notifyShutdown();
    setTimeout(() => {
      for (const proxied of this.#open) proxied.breakOff();
    }, waitMs).unref();
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
