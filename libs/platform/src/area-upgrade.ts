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

/** A call that wants to become a connection of its own, its caller known. */
export interface UpgradeCall extends Pick<
  ServiceCall,
  "request" | "id" | "endpoint" | "query" | "caller" | "requestId" | "log" | "span" | "facts"
> {
  readonly socket: Duplex;
  /** The first bytes of the new protocol, where they came with the request. */
  readonly head: Buffer;
}

/** Takes the connection over, or throws what is answered instead: nothing has been written yet. */
export type UpgradeCallHandler = (call: UpgradeCall) => Promise<void>;

/** Options of an area's upgrades. */
export interface AreaUpgradeOptions extends Omit<AreaOptions, "handlers"> {
  readonly handlers: Readonly<Partial<Record<EndpointId, UpgradeCallHandler>>>;
}

/** An upgrade that an edge has let in, where its area is served. */
export type AdmittedUpgrade = Omit<UpgradeCall, "facts" | "log">;

/**
 * Creates the upgrade listener of an area's service; `areaHandler` is the one for plain requests. A refused upgrade is
 * answered with plain HTTP.
 */
export function areaUpgrade({ area, secrets, log, refused, handlers }: AreaUpgradeOptions): UpgradeHandler {
  return (request, socket, head) => {
    const requestId = firstHeader(request.headers, [headers.requestId]) ?? "";
    const parent = firstHeader(request.headers, [headers.traceparent]);
    void orRefused({ socket, requestId, log, span: { traceparent: parent } }, async () => {
      // A path that begins with two slashes is no address of a host.
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
 * Upgrades what the edge of the same process has let in: as `areaUpgrade`, without signature and span. Resolves with the
 * status that the client was answered with.
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

/** The status of a request that became a connection of its own. */
const switching = 101;

/** Runs an upgrade, and answers on its socket whatever it throws; resolves with the status of the answer. */
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

/** Runs a call, and records where it is refused. Throws what the call throws. */
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
