import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Caller, Endpoint, EndpointId, ErrorFormat, Failure, Tags } from "@modelgate/contracts";
import type { Token } from "@modelgate/accounts";
import type { Span } from "@modelgate/platform";

/** State of a request. Each step adds its results. */
export interface RequestContext {
  requestId: string;
  startedAt: number;
  path: string;
  /** Parsed query. A key in it is removed before the request is forwarded. */
  query: URLSearchParams;
  format: ErrorFormat;
  id?: EndpointId;
  endpoint?: Endpoint;
  params?: Readonly<Record<string, string>>;
  /** SHA-256 of the API key. */
  digest?: string;
  token?: Token;
  clientAddress?: string;
  tags?: Tags;
  caller?: Caller;
  /** True if this process serves the call's area. The edge then leaves the logging of successful calls to the area. */
  isLocal?: boolean;
  /** Set if a service of another process serves the call. */
  proxied?: Proxied;
  serviceUrl?: string;
  /** Failure with which the edge answered. */
  failure?: Failure;
  span?: Span;
}

/** A proxied call or WebSocket, which receives the proxy's events. */
export interface Proxied {
  onRequest(upstream: ClientRequest): void;
  onAnswer(answer: IncomingMessage): void;
  onError(error: Error): void;
  notifyShutdown(): void;
  breakOff(): void;
}

export interface Upgrade {
  readonly socket: Socket;
  /** First bytes of the new protocol that were received with the request. */
  readonly head: Buffer;
  /** Status of the answer: 101, or that of a refusal. */
  status?: number;
}

/** Symbols of the members that store a request's context and upgrade. With a WeakMap, their memory is freed later. */
const contextKey = Symbol("context");
const upgradeKey = Symbol("upgrade");

declare module "node:http" {
  interface IncomingMessage {
    [contextKey]?: RequestContext;
    [upgradeKey]?: Upgrade;
  }
}

export function setContext(request: IncomingMessage, context: RequestContext): void {
  request[contextKey] = context;
}

/** Returns a request's context. Throws an error if no step has set it. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = request[contextKey];
  if (context === undefined) throw new Error("a request without its context: the steps run in the wrong order");
  return context;
}

/** Marks a request as a WebSocket upgrade, before its first step. */
export function setUpgrade(request: IncomingMessage, upgrade: Upgrade): void {
  request[upgradeKey] = upgrade;
}

/** Returns the upgrade of a request; undefined for a plain call. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return request[upgradeKey];
}

/** Step of a request. It answers the request, or calls `next`. To refuse the request, it throws a Failure. */
export type Step = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void | Promise<void>;
