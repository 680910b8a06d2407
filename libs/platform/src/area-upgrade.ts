import type { Duplex } from "node:stream";
import {
  endpointLabel,
  endpointOf,
  errorFormatOf,
  Failure,
  findEndpoint,
  firstHeader,
  headers,
  type EndpointId,
  type ErrorFormat,
} from "@modelgate/contracts";
import { refuseUpgrade } from "./answer.ts";
import { recordRefusal, type AreaOptions, type RecordedCall, type ServiceCall } from "./area-handler.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import type { UpgradeHandler } from "./http-server.ts";
import { ClientDisconnected } from "./read-body.ts";
import { failureFrom } from "./store-failure.ts";
import { verifyCaller } from "./secrets.ts";
import { idsOf, startSpan, type Span } from "./tracing.ts";

/** An authenticated call that requests a WebSocket upgrade. */
export interface UpgradeCall extends Pick<
  ServiceCall,
  "request" | "id" | "endpoint" | "query" | "caller" | "requestId" | "log" | "span" | "facts"
> {
  readonly socket: Duplex;
  /** Bytes that were received after the request's head. They belong to the new protocol. */
  readonly head: Buffer;
}

/** Upgrades a connection. It must not throw after it has written to the socket. */
export type UpgradeCallHandler = (call: UpgradeCall) => Promise<void>;

/** Options of the upgrade listener of an area's service. */
export interface AreaUpgradeOptions extends Omit<AreaOptions, "handlers"> {
  readonly handlers: Readonly<Partial<Record<EndpointId, UpgradeCallHandler>>>;
}

/** An upgrade that an edge in the same process has authenticated. */
export type AdmittedUpgrade = Omit<UpgradeCall, "facts" | "log">;

/** Creates the upgrade listener of an area's service. */
export function areaUpgrade({ area, secrets, log, refused, handlers }: AreaUpgradeOptions): UpgradeHandler {
  return (request, socket, head) => {
    const requestId = firstHeader(request.headers, [headers.requestId]) ?? "";
    const parent = firstHeader(request.headers, [headers.traceparent]);
    // A path that begins with two slashes must not be parsed as a host.
    const [path = "/", ...rest] = (request.url ?? "/").split("?");
    const query = new URLSearchParams(rest.join("?"));
    const match = findEndpoint(request.method ?? "GET", path);
    const format =
      match.kind === "endpoint" ? errorFormatOf(endpointOf(match.id), request.headers, query.has("key")) : match.errors;
    void upgradeOrRefuse({ socket, requestId, log, format, span: { traceparent: parent } }, async () => {
      const handler = match.kind === "endpoint" ? handlers[match.id] : undefined;
      if (match.kind !== "endpoint" || handler === undefined || endpointOf(match.id).area !== area)
        throw new Failure("unknown_url");
      const { id } = match;
      const span = startSpan({ name: endpointLabel(id), kind: "server", parent });
      socket.once("close", () => span.end());
      const signed = firstHeader(request.headers, [headers.caller]);
      const caller = verifyCaller(secrets, signed, Math.floor(Date.now() / 1_000));
      const call = { request, socket, head, id, endpoint: endpointOf(id), query, caller, requestId, log, span };
      await runAndRecordRefusal(refused, { ...call, facts: {} }, handler);
    });
  };
}

/**
 * Creates a function that upgrades connections from an edge in the same process. It resolves with the answer's status.
 */
export function localUpgradeHandler({
  log,
  refused,
  handlers,
}: Pick<AreaUpgradeOptions, "log" | "refused" | "handlers">): (call: AdmittedUpgrade) => Promise<number> {
  return (call) => {
    const handler = handlers[call.id];
    if (handler === undefined) throw new Failure("unknown_url");
    const format = errorFormatOf(call.endpoint, call.request.headers, call.query.has("key"));
    return upgradeOrRefuse({ ...call, log, format }, () =>
      runAndRecordRefusal(refused, { ...call, log, facts: {} }, handler),
    );
  };
}

const switchingProtocols = 101;

/**
 * Runs an upgrade, and answers its error. Resolves with the status of the answer: also 101 if the client has
 * disconnected.
 */
async function upgradeOrRefuse(
  call: Pick<UpgradeCall, "socket" | "requestId" | "log"> & {
    readonly format: ErrorFormat;
    readonly span: Pick<Span, "traceparent">;
  },
  upgrade: () => Promise<void>,
): Promise<number> {
  const { socket, requestId, log, format } = call;
  socket.on("error", () => socket.destroy());
  try {
    await upgrade();
    return switchingProtocols;
  } catch (error) {
    if (error instanceof ClientDisconnected || socket.destroyed) {
      socket.destroy();
      return switchingProtocols;
    }
    const failure = failureFrom(error);
    if (failure.code === "internal_error")
      log.error({ ...idsOf(call), err: failure.cause ?? failure }, "upgrade failed");
    refuseUpgrade(socket, format, failure, requestId);
    return failure.status;
  }
}

async function runAndRecordRefusal<C extends RecordedCall>(
  refused: Pick<RefusedCalls, "add">,
  call: C,
  run: (call: C) => Promise<void>,
): Promise<void> {
  try {
    await run(call);
  } catch (error) {
    recordRefusal(refused, call, error);
    throw error;
  }
}
