import { Failure, realtimeWires, type RealtimeWire } from "@modelgate/contracts";
import type { Attempted, SocketAnswer, WireRoute } from "@modelgate/channels";
import type { CatalogModel } from "@modelgate/catalog";
import { attemptVendors, refuseVendorIdsInTurns } from "@modelgate/relay";
import { atOnce } from "@modelgate/wires/json";
import { bridgeBetween, eventType, wires, type RealtimeBridge, type RealtimeMessage } from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";
import type { Deps } from "./deps.ts";
import { transcribersAt } from "./transcribers.ts";
import type { RealtimeCall } from "./session-call.ts";
import type { SessionFormat } from "./session-format.ts";

/** An open connection to a vendor, paused, with what it has said already. */
export interface VendorConnection {
  readonly socket: WebSocket;
  readonly bridge: RealtimeBridge;
  /** Emptied by who takes it: it would be kept as long as the connection. */
  readonly first: RealtimeMessage[];
}

/** A connection to open, and its client. */
export interface Connecting {
  readonly call: RealtimeCall;
  readonly model: CatalogModel;
  readonly sessionId: string;
  readonly callId: string;
  readonly beta: boolean;
  /** Format of the client's messages. */
  readonly format: SessionFormat;
  /** Ends the attempts when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * Opens the vendor's side of a session, through the channels of its model: a vendor that refuses, that does not
 * answer, or that says nothing or an error first is passed over, as for every other call. Throws AttemptsFailed.
 */
export function connectVendor(deps: Deps, connecting: Connecting): Promise<Attempted<VendorConnection>> {
  const { call, model, callId, signal } = connecting;
  const { limits, relay } = deps;
  return attemptVendors<VendorConnection, RealtimeWire>(relay, call, {
    callId,
    model,
    wires: realtimeWires,
    signal,
    prepare: (route) => ({
      request: requestFor(connecting, route),
      connect: { maxMessageBytes: limits.messageBytes },
      accept: ({ socket }: SocketAnswer) => begin(deps, connecting, route, socket),
    }),
  });
}

/** Waits for the vendor's greeting, if it has one. Throws Failure if the session cannot begin. */
async function begin(
  deps: Deps,
  { call, model, sessionId, format, signal }: Connecting,
  { candidate, provider, wire }: WireRoute<RealtimeWire>,
  socket: WebSocket,
): Promise<VendorConnection> {
  const { limits, relay } = deps;
  const { upstreamModel, channel } = candidate;
  // What the vendor gets in its own format is looked through in that.
  const { stores: dialect } = wires[wire === format.wire ? wire : "realtime"].client;
  const bridge = bridgeBetween(format.wire, wire, {
    model: model.name,
    upstreamModel: provider.modelInSession?.(channel.baseUrl, upstreamModel) ?? upstreamModel,
    sessionId,
    transcribers: transcribersAt(deps, call, channel),
    checkStores: (event) => atOnce(refuseVendorIdsInTurns(relay, call, { dialect, body: event })),
    vendorTools: relay.catalog.current().group(call.caller.group)?.unpriced === "pass",
  });
  if (!bridge.greets) return { socket, bridge, first: [] };
  const first = await greeting(socket, limits.firstEventMs, signal);
  if (first.every(isGreeting)) return { socket, bridge, first };
  socket.terminate();
  throw new Failure("upstream_error", "The vendor failed before the session began.");
}

/** An event that is no error. */
function isGreeting({ data, binary }: RealtimeMessage): boolean {
  const type = binary ? undefined : eventType(data);
  return type !== undefined && type !== "error";
}

function requestFor({ call, beta }: Connecting, { candidate, key, provider, wire }: WireRoute<RealtimeWire>) {
  const { upstreamModel, channel } = candidate;
  // Only models in preview take the older form, and all others refuse a client that says it.
  const older = beta && wire === "realtime" && upstreamModel.includes("preview");
  return provider.request({
    act: "session",
    baseUrl: channel.baseUrl,
    key: key.secret,
    nowMs: Date.now(),
    requestId: call.requestId,
    wire,
    model: upstreamModel,
    headers: older ? { "openai-beta": "realtime=v1" } : undefined,
  });
}

/** The first messages of a vendor. Throws Failure where it is silent or leaves; the socket is paused again after it. */
async function greeting(socket: WebSocket, withinMs: number, signal: AbortSignal): Promise<RealtimeMessage[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const messages: RealtimeMessage[] = [];
  const onMessage = (data: unknown, binary: boolean): void => {
    if (Buffer.isBuffer(data)) messages.push({ data, binary });
    socket.pause();
    resolve();
  };
  const onClose = (): void =>
    reject(new Failure("upstream_error", "The vendor closed the connection before the session began."));
  const onAbort = (): void => reject(new Failure("upstream_error"));
  const timer = setTimeout(() => reject(new Failure("upstream_timeout")), withinMs);
  socket.on("message", onMessage).once("close", onClose);
  signal.addEventListener("abort", onAbort, { once: true });
  socket.resume();
  try {
    await promise;
    // Messages of the same chunk may still follow in this turn.
    await new Promise((next) => setImmediate(next));
    return messages;
  } catch (error) {
    socket.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    socket.off("message", onMessage).off("close", onClose);
  }
}
