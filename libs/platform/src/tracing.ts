import { randomBytes } from "node:crypto";
import { StartError } from "./start-error.ts";
import type { Logger } from "./log.ts";

/** Attributes of a span. They never contain data of a client's or a vendor's body. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span: the part of a request in one service, or one step of that part. */
export interface Span {
  /** W3C header for the next service; undefined if there is no trace. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
  /** Ends the span. `error` is the code or status of a failure, never a message. Further calls do nothing. */
  end(error?: string): void;
}

/** Name, kind, parent and attributes of a span to start. */
export interface SpanStart {
  readonly name: string;
  readonly kind: "server" | "client";
  /** W3C header of the parent span. A malformed header is ignored. */
  readonly parent: string | undefined;
  /** Returns the span's attributes. Called only if spans are collected. */
  readonly attributes?: () => SpanAttributes;
}

/** Function that starts a span, or only forwards the header of its parent if tracing is off. */
export type StartSpan = (start: SpanStart) => Span;

/** Returns the trace id of a span; undefined if there is no trace. */
export function traceIdOf(span: Pick<Span, "traceparent"> | undefined): string | undefined {
  return span?.traceparent?.slice(3, 35);
}

/** Ids that every log line of a request contains. */
export interface RequestIds {
  readonly requestId: string;
  /** Undefined if there is no trace. */
  readonly traceId: string | undefined;
}

/** Returns the ids of a request for its log lines. */
export function idsOf(call: {
  readonly requestId: string;
  readonly span?: Pick<Span, "traceparent"> | undefined;
}): RequestIds {
  return { requestId: call.requestId, traceId: traceIdOf(call.span) };
}

const wellFormedTraceparent = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Span of a request without a trace. */
const noSpan: Span = { traceparent: undefined, set: ignore, end: ignore };

/** Starts no span, and forwards a well-formed header unchanged. Used if tracing is off. */
const forwardOnly: StartSpan = ({ parent }) =>
  parent === undefined || !wellFormedTraceparent.test(parent) ? noSpan : { ...noSpan, traceparent: parent };

function ignore(): void {
  // No collector is configured
}

let currentStart: StartSpan = forwardOnly;

/** Starts a span. Without a collector it only forwards the parent's header. */
export function startSpan(start: SpanStart): Span {
  return currentStart(start);
}

/**
 * Sends this process's spans to a collector by OTLP over HTTP, until the result is disposed. Without an endpoint it
 * does nothing and loads no module. The SDK's variables OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG configure
 * sampling.
 */
export async function openTracing(
  service: string,
  endpoint: string | undefined,
  log: Logger,
): Promise<AsyncDisposable> {
  if (endpoint === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  try {
    const { openTelemetry } = await import("./telemetry.ts");
    const telemetry = openTelemetry(service, `${endpoint.replace(/\/$/, "")}/v1/traces`, log);
    currentStart = telemetry.startSpan;
    return {
      async [Symbol.asyncDispose]() {
        currentStart = forwardOnly;
        await telemetry[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    throw new StartError(`Tracing could not start: ${error instanceof Error ? error.message : String(error)}`, 1);
  }
}

/** Creates a function that returns unique ids: a random prefix and a counter. */
export function idSource(kind: string): () => string {
  const prefix = `${kind}_${randomBytes(9).toString("base64url")}`;
  let count = 0;
  return () => `${prefix}${(++count).toString(36)}`;
}

const requestIdForm = /^[A-Za-z0-9][A-Za-z0-9._:/=+-]{0,127}$/;

/** Returns whether a client's request id is short enough and safe in logs and headers. */
export function isRequestId(text: string): boolean {
  return requestIdForm.test(text);
}
