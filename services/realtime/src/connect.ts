import { Failure, type SessionWire } from "@modelgate/contracts";
import { VendorRefusal, type OpenAttempt, type SocketAnswer, type WireRoute } from "@modelgate/channels";
import type { CatalogModel } from "@modelgate/catalog";
import { readErrorBody } from "@modelgate/providers";
import { attemptVendors, refuseVendorIdsInTurns } from "@modelgate/relay";
import { runToEnd } from "@modelgate/formats/json";
import { bridgeBetween, eventType, wires, type RealtimeBridge, type RealtimeMessage } from "@modelgate/wires/realtime";
import type { WebSocket } from "ws";
import { closeCodes, closeGracefully } from "./closing.ts";
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
  readonly isBeta: boolean;
  /** Format of the client's messages. */
  readonly format: SessionFormat;
  /** The client's first message, if its format has one that names the model. */
  readonly setup?: RealtimeMessage | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Bridge of one attempt, and the message that starts the session at its vendor, if its format has one. */
interface PreparedBridge {
  readonly bridge: RealtimeBridge;
  readonly start: RealtimeMessage | undefined;
}

/** Opens the vendor's side of a session through the channels of its model. Throws AttemptsFailed. */
export function connectVendor(deps: Deps, connecting: ConnectRequest): Promise<OpenAttempt<VendorConnection>> {
  const { call, model, callId, format, setup, signal } = connecting;
  const { limits, relay } = deps;
  return attemptVendors<VendorConnection, SessionWire>(relay, call, {
    callId,
    model,
    wires: format.vendorWires,
    signal,
    prepare(route) {
      const bridge = openBridge(deps, connecting, route);
      // `start` throws for a message that must not be forwarded, so it is called before the vendor is connected.
      const start = setup === undefined ? undefined : bridge.start?.(setup);
      return {
        request: vendorRequest(connecting, route),
        connect: { maxMessageBytes: limits.messageBytes },
        accept: ({ socket }: SocketAnswer) => awaitStart(deps, connecting, route, { bridge, start }, socket),
      };
    },
  });
}

function openBridge(
  deps: Deps,
  { call, model, sessionId, format }: ConnectRequest,
  { candidate, provider, wire }: WireRoute<SessionWire>,
): RealtimeBridge {
  const { relay } = deps;
  const { upstreamModel, channel } = candidate;
  // If both sides use Gemini's live format, events are inspected in that format; otherwise in that of OpenAI's realtime
  // API.
  const { stores: dialect } = wires[wire === "gemini-live" && wire === format.wire ? wire : "realtime"].client;
  return bridgeBetween(format.wire, wire, {
    model: model.name,
    upstreamModel: provider.modelInSession?.(channel.baseUrl, upstreamModel) ?? upstreamModel,
    sessionId,
    transcribers: transcriberNamesAt(deps, call, channel),
    checkStores: (event) => runToEnd(refuseVendorIdsInTurns(relay, call, { dialect, body: event })),
    allowsVendorTools: relay.catalog.current().group(call.caller.group)?.unpriced === "pass",
  });
}

/** Starts the session at its vendor. Throws Failure or VendorRefusal if it cannot start. */
async function awaitStart(
  { limits }: Deps,
  { signal }: ConnectRequest,
  { provider }: WireRoute<SessionWire>,
  { bridge, start }: PreparedBridge,
  socket: WebSocket,
): Promise<VendorConnection> {
  const vendor: VendorConnection = { socket, bridge, firstMessages: [] };
  if (!bridge.vendorSpeaksFirst) return vendor;
  try {
    if (start === undefined) await readFirstMessages(vendor, limits.firstEventMs, signal);
    else {
      socket.send(start.data, { binary: start.binary });
      // The wait does not end when the client disconnects, because the vendor may start and charge the session anyway.
      await readFirstMessages(vendor, limits.firstEventMs);
    }
    const failed = failedMessage(vendor);
    if (failed === undefined) return vendor;
    throw start === undefined ? notStartedFailure() : refusedStart(failed, provider);
  } catch (error) {
    closeUnused(vendor);
    throw error;
  }
}

/** Returns the message that reports a failed start; undefined if the session has begun. */
function failedMessage({ bridge: { startedBy }, firstMessages }: VendorConnection): RealtimeMessage | undefined {
  const isStarted = firstMessages.some((message) => isGreeting(message) && eventType(message.data) === startedBy);
  if (isStarted) return undefined;
  return firstMessages.find((message) => !isGreeting(message));
}

/** Returns true for a text message with an event that is not an error. */
function isGreeting({ data, binary }: RealtimeMessage): boolean {
  const type = binary ? undefined : eventType(data);
  return type !== undefined && type !== "error";
}

function notStartedFailure(): Failure {
  return new Failure("upstream_error", "The vendor failed before the session began.");
}

/** HTTP statuses of OpenAI's error types. Other types are failures of the vendor. */
const statusOfType: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["rate_limit_error", 429],
  ["rate_limit_exceeded", 429],
]);

/** Returns the error of a vendor that refused to start a session, classified like a refused HTTP request. */
function refusedStart({ data }: RealtimeMessage, provider: WireRoute["provider"]): Error {
  if (eventType(data) !== "error") return notStartedFailure();
  const text = data.toString();
  const { code, type = "", message } = readErrorBody(text);
  const status = statusOfType.get(type) ?? 500;
  return new VendorRefusal(provider.failureOf(status, text), status, undefined, { code: code ?? type, message });
}

/** Ends an unused connection to a vendor. A vendor that may have started the session gets a message to end it. */
export function closeUnused({ socket, bridge }: VendorConnection): void {
  for (const { data } of bridge.stop()) socket.send(data, { binary: false });
  closeGracefully(socket, closeCodes.normal, "");
}

function vendorRequest({ call, isBeta }: ConnectRequest, { candidate, key, provider, wire }: WireRoute<SessionWire>) {
  const { upstreamModel, channel } = candidate;
  // Only preview models accept the beta form.
  const usesBeta = isBeta && wire === "realtime" && upstreamModel.includes("preview");
  return provider.request({
    act: "session",
    baseUrl: channel.baseUrl,
    key: key.secret,
    nowMs: Date.now(),
    requestId: call.requestId,
    wire,
    model: upstreamModel,
    headers: usesBeta ? { "openai-beta": "realtime=v1" } : undefined,
  });
}

/** Reads a vendor's messages until the session begins or fails, and pauses the socket. Throws Failure. */
async function readFirstMessages(
  { socket, bridge: { startedBy }, firstMessages }: VendorConnection,
  withinMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onMessage = (data: unknown, binary: boolean): void => {
    if (!Buffer.isBuffer(data)) return;
    const message = { data, binary };
    firstMessages.push(message);
    // The session begins only with the event `startedBy`, so the wait continues.
    if (startedBy !== undefined && isGreeting(message) && eventType(data) !== startedBy) return;
    socket.pause();
    resolve();
  };
  const onClose = (): void =>
    reject(new Failure("upstream_error", "The vendor closed the connection before the session began."));
  const onAbort = (): void => reject(new Failure("upstream_error"));
  const timer = setTimeout(() => reject(new Failure("upstream_timeout")), withinMs);
  socket.on("message", onMessage).once("close", onClose);
  signal?.addEventListener("abort", onAbort, { once: true });
  socket.resume();
  try {
    await promise;
    // Further messages of the same chunk may still be emitted in this iteration of the event loop.
    await new Promise((next) => setImmediate(next));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    socket.off("message", onMessage).off("close", onClose);
  }
}
