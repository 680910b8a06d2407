import { randomBytes } from "node:crypto";
import { StartError } from "./start-error.ts";
import type { Logger } from "./log.ts";

/** Attributes of a span: plain values, never from a client's or a vendor's body. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A span: one service's part of a request. */
export interface Span {
  /** W3C header for the next hop; undefined if there is no trace. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
  /** Ends the span; `error` is a failure's code or a status, never a message. A second call does nothing. */
  end(error?: string): void;
}

/** Name, kind and parent of a span that begins. */
export interface SpanStart {
  readonly name: string;
  readonly kind: "server" | "client";
  /** W3C header of the parent span; a malformed one is ignored. */
  readonly parent: string | undefined;
  /** Called only if spans are collected. */
  readonly attributes?: () => SpanAttributes;
}

/** Begins spans. */
export type StartSpan = (start: SpanStart) => Span;

/** Returns the trace id in a span's header; undefined if there is no trace. */
export function traceIdOf(span: Pick<Span, "traceparent"> | undefined): string | undefined {
  return span?.traceparent?.slice(3, 35);
}

/** Ids in every log line of a request. */
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

const wellFormed = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Forwards the header unchanged if tracing is off. */
const passOn: StartSpan = ({ parent }) => ({
  traceparent: parent !== undefined && wellFormed.test(parent) ? parent : undefined,
  set: ignore,
  end: ignore,
});

function ignore(): void {
  // No collector is configured
}

let starting: StartSpan = passOn;

/** Begins a span of this process; without a collector it only forwards the header. */
export function startSpan(start: SpanStart): Span {
  return starting(start);
}

/**
 * Sends this process's spans to a collector by OTLP over HTTP, until disposed; without an endpoint it does nothing and
 * loads no module. Sampling is configured by the SDK's OTEL_TRACES_SAMPLER and its argument.
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
    starting = telemetry.startSpan;
    return {
      async [Symbol.asyncDispose]() {
        starting = passOn;
        await telemetry[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    throw new StartError(`Tracing could not begin: ${error instanceof Error ? error.message : String(error)}`, 1);
  }
}

/** Creates a source of cheap unique ids: a random prefix of this process and a counter. */
export function idSource(kind: string): () => string {
  const prefix = `${kind}_${randomBytes(9).toString("base64url")}`;
  let count = 0;
  return () => `${prefix}${(++count).toString(36)}`;
}

const requestIdForm = /^[A-Za-z0-9][A-Za-z0-9._:/=+-]{0,127}$/;

/** Returns whether a client's request id can be used: it is short, and its characters are safe in logs and headers. */
export function isRequestId(text: string): boolean {
  return requestIdForm.test(text);
}
