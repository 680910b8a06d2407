import { withoutUndefined } from "@modelgate/contracts";
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as TelemetrySpan,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import type { Logger } from "./log.ts";
import type { Span, SpanStart, StartSpan } from "./tracing.ts";

/** Maximum number of spans that wait for the collector. Later ones are dropped. */
const maxWaiting = 4_096;
const maxShutdownMs = 3_000;

const spanKinds: Readonly<Record<SpanStart["kind"], SpanKind>> = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/**
 * Starts to send spans with OpenTelemetry. This module is loaded only if needed, because it costs start-up time and
 * memory.
 */
export function openTelemetry(
  service: string,
  url: string,
  log: Logger,
): AsyncDisposable & { readonly startSpan: StartSpan } {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.namespace": "modelgate" }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }), { maxQueueSize: maxWaiting })],
  });
  const tracer = provider.getTracer("modelgate");
  return {
    startSpan: ({ name, kind, parent, attributes }) =>
      spanOf(
        tracer.startSpan(
          name,
          // The linter confuses the optional enum of the options with another one.
          // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
          { kind: spanKinds[kind], attributes: withoutUndefined(attributes?.() ?? {}) },
          contextOf(parent),
        ),
      ),
    async [Symbol.asyncDispose]() {
      const alarm = Promise.withResolvers<void>();
      const timer = setTimeout(alarm.resolve, maxShutdownMs);
      const shutdown = provider.shutdown().catch((error: unknown) => log.debug({ err: error }, "spans were not sent"));
      await Promise.race([shutdown, alarm.promise]);
      clearTimeout(timer);
    },
  };
}

function spanOf(span: TelemetrySpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    set: (attributes) => void span.setAttributes(withoutUndefined(attributes)),
    end(error) {
      if (error !== undefined) {
        span.setAttribute("error.type", error);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

const traceparentForm = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns the context of a parent span. The SDK ignores invalid ids. */
function contextOf(parent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparentForm.exec(parent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
