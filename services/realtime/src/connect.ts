import { Failure, type SessionWire } from "@modelgate/contracts";
import type { OpenAttempt, SocketAnswer, WireRoute } from "@modelgate/channels";
import type { CatalogModel } from "@modelgate/catalog";
import { attemptVendors, refuseVendorIdsInTurns } from "@modelgate/relay";
import { runToEnd } from "@modelgate/wires/json";
import { bridgeBetween, eventType, wires, type RealtimeBridge, type RealtimeMessage } from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";
import type { Deps } from "./deps.ts";
import { transcriberNamesAt } from "./transcribers.ts";
import type { RealtimeCall } from "./session-call.ts";
import type { SessionFormat } from "./session-format.ts";

/** Open, paused connection to a vendor, with the messages received so far. */
export interface VendorConnection {
  readonly socket: WebSocket;
  readonly bridge: RealtimeBridge;
  /** Messages received so far. The receiver empties this list, to free the memory. */
  readonly firstMessages: RealtimeMessage[];
}

/** Values to open a vendor's side of a session. */
export interface ConnectRequest {
  readonly call: RealtimeCall;
  readonly model: CatalogModel;
  readonly sessionId: string;
  readonly callId: string;
  readonly beta: boolean;
  /** Format of the client's messages. */
  readonly format: SessionFormat;
  /** Aborts when the client leaves, which ends the attempts. */
  readonly signal: AbortSignal;
}

/**
 * Opens the vendor's side of a session through the channels of its model. Tries the next channel if a vendor refuses,
 * does not answer, or starts with an error. Throws AttemptsFailed.
 */
export function connectVendor(deps: Deps, connecting: ConnectRequest): Promise<OpenAttempt<VendorConnection>> {
  const { call, model, callId, format, signal } = connecting;
  const { limits, relay } = deps;
  return attemptVendors<VendorConnection, SessionWire>(relay, call, {
    callId,
    model,
    wires: format.vendorWires,
    signal,
    prepare: (route) => ({
      request: vendorRequest(connecting, route),
      connect: { maxMessageBytes: limits.messageBytes },
      accept: ({ socket }: SocketAnswer) => awaitStart(deps, connecting, route, socket),
    }),
  });
}

/** Waits for the vendor's first message, if its format has one. Throws Failure if the session cannot start. */
async function awaitStart(
  deps: Deps,
  { call, model, sessionId, format, signal }: ConnectRequest,
  { candidate, provider, wire }: WireRoute<SessionWire>,
  socket: WebSocket,
): Promise<VendorConnection> {
  const { limits, relay } = deps;
  const { upstreamModel, channel } = candidate;
  // Events in the vendor's format are inspected in that format.
  const { stores: dialect } = wires[wire === "gemini-live" && wire === format.wire ? wire : "realtime"].client;
  const bridge = bridgeBetween(format.wire, wire, {
    model: model.name,
    upstreamModel: provider.modelInSession?.(channel.baseUrl, upstreamModel) ?? upstreamModel,
    sessionId,
    transcribers: transcriberNamesAt(deps, call, channel),
    checkStores: (event) => runToEnd(refuseVendorIdsInTurns(relay, call, { dialect, body: event })),
    vendorTools: relay.catalog.current().group(call.caller.group)?.unpriced === "pass",
  });
  if (!bridge.greets) return { socket, bridge, firstMessages: [] };
  const first = await readGreeting(socket, limits.firstEventMs, signal);
  if (first.every(isGreeting)) return { socket, bridge, firstMessages: first };
  socket.terminate();
  throw new Failure("upstream_error", "The vendor failed before the session began.");
}

/** Returns true for any event that is not an error. */
function isGreeting({ data, binary }: RealtimeMessage): boolean {
  const type = binary ? undefined : eventType(data);
  return type !== undefined && type !== "error";
}

function vendorRequest({ call, beta }: ConnectRequest, { candidate, key, provider, wire }: WireRoute<SessionWire>) {
  const { upstreamModel, channel } = candidate;
  // Only preview models accept the beta form; other models refuse a client that requests it.
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

/**
 * Returns the first messages of a vendor and pauses the socket. Throws Failure if the vendor sends nothing in time or
 * disconnects.
 */
async function readGreeting(socket: WebSocket, withinMs: number, signal: AbortSignal): Promise<RealtimeMessage[]> {
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
    // Messages of the same chunk may still follow in this turn of the event loop.
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
