import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Caller, Endpoint, EndpointId, ErrorFormat, Failure, Tags } from "@modelgate/contracts";
import type { Token } from "@modelgate/accounts";
import type { Span } from "@modelgate/platform";

/** Facts about a request, to which each step adds. */
export interface RequestContext {
  requestId: string;
  startedAt: number;
  path: string;
  /** The query without its question mark; the key is taken out before it goes on. */
  query: URLSearchParams;
  format: ErrorFormat;
  id?: EndpointId;
  endpoint?: Endpoint;
  params?: Readonly<Record<string, string>>;
  digest?: string;
  token?: Token;
  tags?: Tags;
  caller?: Caller;
  /** True if its area is served in this process; the log line of the call then replaces that of the request. */
  isLocal?: boolean;
  /** The request on its way through the proxy, where a service of another process serves it. */
  proxied?: Proxied;
  /** The address of that service. */
  serviceUrl?: string;
  /** The failure with which the edge ended the answer, where it did. */
  failure?: Failure;
  /** The request's part of the trace, from when its endpoint is known. */
  span?: Span;
}

/** A call or WebSocket on its way through the proxy, as the proxy's events reach it. */
export interface Proxied {
  sent(upstream: ClientRequest): void;
  answered(answer: IncomingMessage): void;
  failed(error: Error): void;
  notifyGoing(): void;
  breakOff(): void;
}

/** A request that asks for its connection to become a WebSocket. */
export interface Upgrade {
  readonly socket: Socket;
  /** First bytes of the new protocol, where they came with the request. */
  readonly head: Buffer;
  /** Status with which the area answered, once it has: 101, or that of its refusal. */
  status?: number;
}

/** Properties of a request that hold its context and its upgrade; the values of a WeakMap would outlive their calls in V8. */
const contextKey = Symbol("context");
const upgradeKey = Symbol("upgrade");

declare module "node:http" {
  interface IncomingMessage {
    [contextKey]?: RequestContext;
    [upgradeKey]?: Upgrade;
  }
}

/** Attaches a context to its request. */
export function setContext(request: IncomingMessage, context: RequestContext): void {
  request[contextKey] = context;
}

/** Returns the context, which every request has from the first step on. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = request[contextKey];
  if (context === undefined) throw new Error("a request without its context: the steps run in the wrong order");
  return context;
}

/** Marks a request as one for a WebSocket, before its first step. */
export function setUpgrade(request: IncomingMessage, upgrade: Upgrade): void {
  request[upgradeKey] = upgrade;
}

/** Returns the upgrade that a request asks for; undefined for a call. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return request[upgradeKey];
}

/** A step: calls `next`, answers, or throws (or calls `next` with) a Failure. */
export type Step = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>;
