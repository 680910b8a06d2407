import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  endpointLabel,
  endpointOf,
  type endpoints,
  errorFormatOf,
  Failure,
  findEndpoint,
  firstHeader,
  headers,
  withoutUndefined,
  type Area,
  type AreaEndpointId,
  type Caller,
  type Endpoint,
  type EndpointId,
  type ErrorFormat,
} from "@modelgate/contracts";
import { answerFailure } from "./answer.ts";
import { HttpSink, type AnswerSink } from "./answer-sink.ts";
import { gatewayFailureOf, endingOf, endCallOn, shutdownPath, recordOpenResponse } from "./ending.ts";
import { discardRestOfBody } from "./linger.ts";
import type { Logger } from "./log.ts";
import { observeRequest, statusOf } from "./metrics.ts";
import { ClientDisconnected } from "./read-body.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import { failureFrom } from "./store-failure.ts";
import { type Secrets, verifyCaller } from "./secrets.ts";
import { idsOf, startSpan, type Span } from "./tracing.ts";

/** Details of a call for `recordRefusal`, set while the call runs. */
export interface CallFacts {
  model?: string;
  /** True if the call has a usage event, which then records the call's failure. */
  isBooked?: boolean;
  /** Failure at the end of a stream that began before money could be held. */
  refusal?: Failure;
}

/** An authenticated call of an endpoint. */
export interface ServiceCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: AnswerSink;
  /** Aborted if the call ends before its answer is complete. The reason is a Failure, or ClientDisconnected. */
  readonly ending: AbortSignal;
  readonly id: EndpointId;
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly caller: Caller;
  readonly requestId: string;
  /** True if unsupported optional fields are refused, false if they are dropped. */
  readonly refusesUnsupported: boolean;
  /** Error format for this request's client. */
  readonly format: ErrorFormat;
  readonly log: Logger;
  readonly span: Span;
  readonly facts: CallFacts;
}

export type EndpointHandler = (call: ServiceCall) => Promise<void>;

/** One handler for each endpoint of an area. A missing one is a compiler error. */
export type AreaHandlers<
  A extends Area,
  Table extends Readonly<Record<string, Endpoint>> = typeof endpoints,
> = Readonly<Record<AreaEndpointId<A, Table>, EndpointHandler>>;

/** A call that an edge in the same process has authenticated. */
export type AdmittedCall = Pick<
  ServiceCall,
  "request" | "response" | "id" | "endpoint" | "params" | "query" | "caller" | "requestId" | "span"
>;

export interface AreaOptions<A extends Area = Area> {
  readonly area: A;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly refused: Pick<RefusedCalls, "add">;
  readonly handlers: AreaHandlers<A>;
}

/**
 * Creates the request listener of an area's service. It verifies the edge's signature and runs the endpoint's handler.
 * A request for `shutdownPath` ends the open call of its connection.
 */
export function areaHandler<A extends Area>({
  area,
  secrets,
  log,
  refused,
  handlers,
}: AreaOptions<A>): RequestListener {
  const byId = handlersById(handlers);
  return (request, response) => {
    const url = request.url ?? "/";
    if (url === shutdownPath) {
      endCallOn(request.socket);
      return void response.writeHead(204).end();
    }
    recordOpenResponse(request.socket, response);
    const queryStart = url.indexOf("?");
    const path = queryStart < 0 ? url : url.slice(0, queryStart);
    const match = findEndpoint(request.method ?? "GET", path);
    const requestId = firstHeader(request.headers, [headers.requestId]) ?? "";
    response.setHeader(headers.requestId, requestId);
    const handler = match.kind === "endpoint" && endpointOf(match.id).area === area ? byId.get(match.id) : undefined;
    if (match.kind !== "endpoint" || handler === undefined) {
      return answerFailure(response, "common", new Failure("unknown_url"), requestId);
    }
    const endpoint = endpointOf(match.id);
    const query = new URLSearchParams(queryStart < 0 ? "" : url.slice(queryStart + 1));
    const span = startRequestSpan(request, response, match.id);
    const call = { request, response, id: match.id, endpoint, params: match.params, query, requestId, span, log };
    const findCaller = (): Caller =>
      verifyCaller(secrets, firstHeader(request.headers, [headers.caller]), Math.floor(Date.now() / 1_000));
    void runHandler(call, findCaller, handler, refused);
  };
}

/** Creates a function that answers calls which an edge in the same process has authenticated. */
export function localCallHandler<A extends Area>({
  log,
  refused,
  handlers,
}: Pick<AreaOptions<A>, "log" | "refused" | "handlers">): (call: AdmittedCall) => void {
  const byId = handlersById(handlers);
  return (call) => {
    const handler = byId.get(call.id);
    if (handler === undefined) throw new Failure("unknown_url");
    void runHandler({ ...call, log }, () => call.caller, handler, refused);
  };
}

function handlersById<A extends Area>(handlers: AreaHandlers<A>): ReadonlyMap<string, EndpointHandler> {
  return new Map(Object.entries<EndpointHandler>(handlers));
}

function startRequestSpan(request: IncomingMessage, response: ServerResponse, id: EndpointId): Span {
  const startedAt = performance.now();
  const { method } = request;
  const route = endpointOf(id).path;
  const span = startSpan({
    name: endpointLabel(id),
    kind: "server",
    parent: firstHeader(request.headers, [headers.traceparent]),
    attributes: () => ({ "http.request.method": method, "http.route": route }),
  });
  response.on("close", () => {
    const status = statusOf(response);
    observeRequest({ method, route, status, seconds: (performance.now() - startedAt) / 1_000 });
    span.set({ "http.response.status_code": status });
    span.end(status >= 500 ? String(status) : undefined);
  });
  return span;
}

async function runHandler(
  call: Omit<AdmittedCall, "caller"> & Pick<ServiceCall, "log">,
  findCaller: () => Caller,
  handler: EndpointHandler,
  refused: Pick<RefusedCalls, "add">,
): Promise<void> {
  const { request, response, id, endpoint, params, query, requestId, span, log } = call;
  const ending = endingOf(response);
  let format = errorFormatOf(endpoint, request.headers, query.has("key"));
  let serviceCall: ServiceCall | undefined;
  try {
    const caller = findCaller();
    format = caller.format ?? format;
    const refusesUnsupported = firstHeader(request.headers, [headers.strict]) === "true";
    serviceCall = {
      request,
      response,
      answer: new HttpSink(response),
      ending,
      id,
      endpoint,
      params,
      query,
      caller,
      requestId,
      refusesUnsupported,
      format,
      log,
      span,
      facts: {},
    };
    await handler(serviceCall);
    recordStreamRefusal(refused, serviceCall);
  } catch (caught) {
    // The handler of an ended call may throw any error. The reason of the end replaces that error.
    const error = serviceCall === undefined ? caught : (gatewayFailureOf(ending) ?? caught);
    if (serviceCall !== undefined) recordRefusal(refused, serviceCall, error);
    if (response.writableEnded) return;
    if (error instanceof ClientDisconnected) return void response.destroy();
    const failure = failureFrom(error);
    if (failure.code === "internal_error") log.error({ ...idsOf(call), err: failure.cause ?? failure }, "call failed");
    if (!response.headersSent) discardRestOfBody(request);
    answerFailure(response, format, failure, requestId);
  }
}

export type RecordedCall = Pick<ServiceCall, "caller" | "facts" | "id" | "requestId">;

/** Records a call without a usage event whose stream ended with a failure. */
export function recordStreamRefusal(refused: Pick<RefusedCalls, "add">, call: RecordedCall): void {
  if (call.facts.refusal !== undefined) recordRefusal(refused, call, call.facts.refusal);
}

/** Records a refused call, unless a usage event records its failure or the client has disconnected. */
export function recordRefusal(
  refused: Pick<RefusedCalls, "add">,
  { caller: { accountId, tokenId }, facts: { isBooked = false, model }, id, requestId }: RecordedCall,
  error: unknown,
): void {
  if (isBooked || error instanceof ClientDisconnected) return;
  const request = { requestId, accountId, tokenId, endpoint: endpointLabel(id), ...withoutUndefined({ model }) };
  refused.add(request, failureFrom(error));
}
