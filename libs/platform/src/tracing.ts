import { randomBytes } from "node:crypto";
import { StartError } from "./start-error.ts";
import type { Logger } from "./log.ts";

/** Attributes of a span, without data of a client's or a vendor's body. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A part of a request's trace: its time in one service, or one of its steps there. */
export interface Span {
  /** W3C header for the next service; undefined if there is no trace. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
  /** Ends the span. `error` is the code or status of a failure, never a message. */
  end(error?: string): void;
}

export interface SpanStart {
  readonly name: string;
  readonly kind: "server" | "client";
  /** W3C header of the parent span. */
  readonly parent: string | undefined;
  /** Called only if spans are collected. */
  readonly attributes?: () => SpanAttributes;
}

export type StartSpan = (start: SpanStart) => Span;

/** Returns the trace id of a span; undefined if there is no trace. */
export function traceIdOf(span: Pick<Span, "traceparent"> | undefined): string | undefined {
  return span?.traceparent?.slice(3, 35);
}

/** Ids in every log line of a request. */
export interface RequestIds {
  readonly requestId: string;
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

const noSpan: Span = { traceparent: undefined, set: ignore, end: ignore };

/** Forwards a well-formed header of the parent, without starting a span. */
const forwardOnly: StartSpan = ({ parent }) =>
  parent === undefined || !wellFormedTraceparent.test(parent) ? noSpan : { ...noSpan, traceparent: parent };

function ignore(): void {
  // no collector is configured
}

let currentStart: StartSpan = forwardOnly;

/** Starts a span. Without a collector it only forwards the parent's header. */
export function startSpan(start: SpanStart): Span {
  return currentStart(start);
}

/**
 * Sends this process's spans to a collector (OTLP over HTTP) until the result is disposed. Does nothing without an
 * endpoint. OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG configure sampling.
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
