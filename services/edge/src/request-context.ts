import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller, Endpoint, EndpointId, ErrorFormat, Failure, Tags } from "@modelgate/contracts";
import type { Token } from "@modelgate/accounts";
import type { Span } from "@modelgate/platform";

/** What the middleware finds out about a request, each step adding to it. */
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
  /** Whether its area is served in this process, whose line of a call stands for the request's. */
  isLocal?: boolean;
  /** Why the edge ended the answer, where it did. */
  failure?: Failure;
  /** The request's part of the trace, from when its endpoint is known. */
  span?: Span;
}

/**
 * Where a request has its context. A WeakMap would have each request outlive its call: V8 takes the values of one for live
 * until it next collects old objects, and what a value refers to with it.
 */
const contextKey = Symbol("context");

declare module "node:http" {
  interface IncomingMessage {
    [contextKey]?: RequestContext;
  }
}

/** Keeps a context beside its request. */
export function setContext(request: IncomingMessage, context: RequestContext): void {
  request[contextKey] = context;
}

/** What is known of a request; every request has it from the first middleware on. */
export function contextOf(request: IncomingMessage): RequestContext {
  const context = request[contextKey];
  if (context === undefined) throw new Error("a request without its context: the middleware runs in the wrong order");
  return context;
}

/** A step of the chain: passes on, answers, or throws Failure. */
export type Step = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
