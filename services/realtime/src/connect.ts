import { Failure, type UpstreamWire } from "@modelgate/contracts";
import type { Attempted, Way } from "@modelgate/channels";
import type { CatalogModel } from "@modelgate/catalog";
import type { Provider } from "@modelgate/providers";
import {
  eventType,
  realtimeBridges,
  realtimeWires,
  type RealtimeBridge,
  type RealtimeMessage,
  type RealtimeWire,
} from "@modelgate/wires";
import type { WebSocket } from "ws";
import type { Deps } from "./deps.ts";
import { transcribersAt } from "./transcribers.ts";
import type { SessionCall } from "./session-call.ts";

/** An open connection to a vendor, paused, with what it has said already. */
export interface VendorConnection {
  readonly socket: WebSocket;
  readonly bridge: RealtimeBridge;
  /** Emptied by who takes it: it would be kept as long as the connection. */
  readonly first: RealtimeMessage[];
}

/** What is connected, for whom. */
export interface Connecting {
  readonly call: SessionCall;
  readonly model: CatalogModel;
  readonly sessionId: string;
  readonly callId: string;
  readonly beta: boolean;
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
  let wire: RealtimeWire | undefined;
  return relay.channels.attempts.run<VendorConnection>({
    callId,
    model: model.name,
    candidates: relay.catalog.current().candidates(model.name, call.caller.group),
    signal,
    span: call.span,
    connect: { mostMessageBytes: limits.messageBytes },
    render(way, provider) {
      wire = wireFor(relay, way, provider);
      return requestFor(connecting, way, provider, wire);
    },
    async accept({ socket }, { candidate }) {
      if (socket === undefined || wire === undefined) throw new Error("an answer without its connection");
      const bridge = realtimeBridges[wire]({
        model: model.name,
        upstreamModel: candidate.upstreamModel,
        sessionId: connecting.sessionId,
        transcribers: transcribersAt(deps, call, candidate.channel),
      });
      if (!bridge.greets) return { socket, bridge, first: [] };
      const first = await greeting(socket, limits.firstEventMs, signal);
      if (!first.every(isGreeting)) {
        socket.terminate();
        throw new Failure("upstream_error", "The vendor failed before the session began.");
      }
      return { socket, bridge, first };
    },
    unspoken({ candidate }, provider) {
      if (wire === undefined) return false;
      relay.spoken.missing(candidate, wire);
      return relay.spoken.choose(candidate, provider, realtimeWires) !== undefined;
    },
  });
}

/** An event that is no error. */
function isGreeting({ data, binary }: RealtimeMessage): boolean {
  const type = binary ? undefined : eventType(data);
  return type !== undefined && type !== "error";
}

function wireFor({ spoken }: Deps["relay"], { candidate }: Way, provider: Provider): RealtimeWire {
  const chosen: UpstreamWire | undefined = spoken.choose(candidate, provider, realtimeWires);
  const wire = realtimeWires.find((known) => known === chosen);
  if (wire === undefined)
    throw new Failure("no_available_channel", "The vendor of this model has no endpoint for sessions.");
  return wire;
}

function requestFor({ call, beta }: Connecting, { candidate, key }: Way, provider: Provider, wire: RealtimeWire) {
  const { upstreamModel, channel } = candidate;
  // Only models in preview take the older form, and all others refuse a client that says it.
  const older = beta && wire === "realtime" && upstreamModel.includes("preview");
  return {
    url: provider.address({ baseUrl: channel.baseUrl, wire, model: upstreamModel, stream: true }),
    method: "GET" as const,
    headers: {
      "x-request-id": call.requestId,
      ...provider.headers({ key: key.secret, wire }),
      ...(older ? { "openai-beta": "realtime=v1" } : {}),
    },
  };
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
  const onClose = (): void => reject(new Failure("upstream_error", "The vendor closed before the session began."));
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
