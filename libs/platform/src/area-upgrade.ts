import type { Duplex } from "node:stream";
import {
  endpointLabel,
  endpointOf,
  Failure,
  findEndpoint,
  firstHeader,
  headers,
  type EndpointId,
} from "@modelgate/contracts";
import { refuseUpgrade } from "./answer.ts";
import { recordRefusal, type AreaOptions, type RecordedCall, type ServiceCall } from "./area-handler.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import type { UpgradeHandler } from "./http-server.ts";
import { ClientGone } from "./read-body.ts";
import { failureOf } from "./store-failure.ts";
import { verifyCaller } from "./secrets.ts";
import { idsOf, startSpan, type Span } from "./tracing.ts";

/** An authenticated call that requests a WebSocket upgrade. */
export interface UpgradeCall extends Pick<
  ServiceCall,
  "request" | "id" | "endpoint" | "query" | "caller" | "requestId" | "log" | "span" | "facts"
> {
  readonly socket: Duplex;
  /** First bytes of the new protocol, if they arrived with the request. */
  readonly head: Buffer;
}

/** Takes over the connection. Throws before anything is written; the exception is then answered. */
export type UpgradeCallHandler = (call: UpgradeCall) => Promise<void>;

/** Options of an area's upgrades. */
export interface AreaUpgradeOptions extends Omit<AreaOptions, "handlers"> {
  readonly handlers: Readonly<Partial<Record<EndpointId, UpgradeCallHandler>>>;
}

/** An upgrade that an edge has admitted, in the process that serves its area. */
export type AdmittedUpgrade = Omit<UpgradeCall, "facts" | "log">;

/**
 * Creates the upgrade listener of an area's service; `areaHandler` serves plain requests. A refused upgrade gets a
 * plain HTTP answer.
 */
export function areaUpgrade({ area, secrets, log, refused, handlers }: AreaUpgradeOptions): UpgradeHandler {
  return (request, socket, head) => {
    const requestId = firstHeader(request.headers, [headers.requestId]) ?? "";
    const parent = firstHeader(request.headers, [headers.traceparent]);
    void orRefused({ socket, requestId, log, span: { traceparent: parent } }, async () => {
      // A path that begins with two slashes must not be parsed as a host.
      const [path = "/", ...rest] = (request.url ?? "/").split("?");
      const query = new URLSearchParams(rest.join("?"));
      const found = findEndpoint(request.method ?? "GET", path);
      const handler = found.kind === "endpoint" ? handlers[found.id] : undefined;
      if (found.kind !== "endpoint" || handler === undefined || endpointOf(found.id).area !== area)
        throw new Failure("unknown_url");
      const { id } = found;
      const span = startSpan({ name: endpointLabel(id), kind: "server", parent });
      socket.once("close", () => span.end());
      const signed = firstHeader(request.headers, [headers.caller]);
      const caller = verifyCaller(secrets, signed, Math.floor(Date.now() / 1_000));
      const call = { request, socket, head, id, endpoint: endpointOf(id), query, caller, requestId, log, span };
      await recordingRefusal(refused, { ...call, facts: {} }, handler);
    });
  };
}

/**
 * Creates a function that upgrades connections which the edge of the same process has admitted. It works like
 * `areaUpgrade`, without signature and span, and resolves with the status of the answer.
 */
export function localUpgrades({
  log,
  refused,
  handlers,
}: Pick<AreaUpgradeOptions, "log" | "refused" | "handlers">): (call: AdmittedUpgrade) => Promise<number> {
  return (call) => {
    const handler = handlers[call.id];
    if (handler === undefined) throw new Failure("unknown_url");
    return orRefused({ ...call, log }, () => recordingRefusal(refused, { ...call, log, facts: {} }, handler));
  };
}

/** Status of a request that became a WebSocket. */
const switching = 101;

/** Runs an upgrade, and answers on its socket if it throws. Resolves with the status of the answer. */
async function orRefused(
  call: Pick<UpgradeCall, "socket" | "requestId" | "log"> & { readonly span: Pick<Span, "traceparent"> },
  upgrade: () => Promise<void>,
): Promise<number> {
  const { socket, requestId, log } = call;
  socket.on("error", () => socket.destroy());
  try {
    await upgrade();
    return switching;
  } catch (error) {
    if (error instanceof ClientGone || socket.destroyed) {
      socket.destroy();
      return switching;
    }
    const failure = failureOf(error);
    if (failure.code === "internal_error")
      log.error({ ...idsOf(call), err: failure.cause ?? failure }, "upgrade failed");
    refuseUpgrade(socket, "common", failure, requestId);
    return failure.status;
  }
}

/** Runs a call, and records it if it is refused. Rethrows the call's exception. */
async function recordingRefusal<C extends RecordedCall>(
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
