import type { IncomingMessage } from "node:http";
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
import type { AreaOptions, ServiceCall } from "./area-handler.ts";
import type { UpgradeHandler } from "./http-server.ts";
import { ClientGone } from "./read-body.ts";
import { failureOf } from "./store-failure.ts";
import { verifyCaller } from "./signed-caller.ts";
import { idsOf, startSpan } from "./tracing.ts";

/** A call that wants to become a connection of its own, its caller known. */
export interface UpgradeCall extends Pick<
  ServiceCall,
  "request" | "id" | "endpoint" | "query" | "caller" | "requestId" | "log" | "span"
> {
  readonly socket: Duplex;
  /** The first bytes of the new protocol, where they came with the request. */
  readonly head: Buffer;
}

/** Takes the connection over, or throws what is answered instead: nothing has been written yet. */
export type UpgradeCallHandler = (call: UpgradeCall) => Promise<void>;

/** What an area upgrades. */
export interface AreaUpgradeOptions extends Omit<AreaOptions, "handlers"> {
  readonly handlers: Readonly<Partial<Record<EndpointId, UpgradeCallHandler>>>;
}

/** The upgrade listener of an area's service, beside `areaHandler`: what is refused is refused as plain HTTP. */
export function areaUpgrade({ area, secrets, log, handlers }: AreaUpgradeOptions): UpgradeHandler {
  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, requestId: string): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    const found = findEndpoint(request.method ?? "GET", pathname);
    const handler = found.kind === "endpoint" ? handlers[found.id] : undefined;
    if (found.kind !== "endpoint" || handler === undefined || endpointOf(found.id).area !== area)
      throw new Failure("unknown_url");
    const span = startSpan({
      name: endpointLabel(found.id),
      kind: "server",
      parent: firstHeader(request.headers, [headers.traceparent]),
    });
    socket.once("close", () => span.end());
    const caller = verifyCaller(
      secrets,
      firstHeader(request.headers, [headers.caller]),
      Math.floor(Date.now() / 1_000),
    );
    await handler({
      request,
      socket,
      head,
      id: found.id,
      endpoint: endpointOf(found.id),
      query,
      caller,
      requestId,
      log,
      span,
    });
  }

  return (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const requestId = firstHeader(request.headers, [headers.requestId]) ?? "";
    upgrade(request, socket, head, requestId).catch((error: unknown) => {
      if (error instanceof ClientGone || socket.destroyed) {
        socket.destroy();
        return;
      }
      const failure = failureOf(error);
      const ids = idsOf({ requestId, span: { traceparent: firstHeader(request.headers, [headers.traceparent]) } });
      if (failure.code === "internal_error") log.error({ ...ids, err: failure.cause ?? failure }, "upgrade failed");
      refuseUpgrade(socket, "common", failure, requestId);
    });
  };
}
