import { once } from "node:events";
import { connectSocket, readText, type SocketAnswer, type UpstreamRequest } from "@modelgate/channels";
import { Failure, type RealtimeWire, type SessionWire } from "@modelgate/contracts";
import { bridgeBetween, eventType, vendorsTranscribers } from "@modelgate/wires/realtime";

/** Result of a test: the status and the beginning of the vendor's answer. */
export interface TriedCall {
  readonly status: number;
  readonly ok: boolean;
  readonly vendorMessage: string;
}

/** First message to a vendor that waits for one before it answers. */
const sessionUpdate = Buffer.from(JSON.stringify({ type: "session.update", session: { type: "realtime" } }));
/** Maximum bytes of a message, and of its part that is shown. */
const [maxMessageBytes, answerBytes] = [1024 * 1024, 4_096];

/**
 * Opens a session at a vendor and closes it, which is free. Succeeds if the vendor reports that the session has
 * started; for GPT-Live, if the vendor accepts the connection. Rejects if no answer comes in time.
 */
export async function trySession(request: UpstreamRequest, wire: SessionWire, model: string): Promise<TriedCall> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  const answer = await connectSocket(request, { maxMessageBytes }, signal);
  const { status } = answer;
  if (!("socket" in answer)) return { status, ok: false, vendorMessage: await readText(answer, answerBytes) };
  const { socket } = answer;
  try {
    if (wire === "gpt-live") return { status, ok: true, vendorMessage: "The vendor accepted the connection." };
    return { status, ...(await awaitStart(socket, wire, model, signal)) };
  } finally {
    socket.close(1000);
  }
}

async function awaitStart(
  socket: SocketAnswer["socket"],
  wire: RealtimeWire,
  model: string,
  signal: AbortSignal,
): Promise<Omit<TriedCall, "status">> {
  const names = {
    model,
    upstreamModel: model,
    sessionId: "test",
    transcribers: vendorsTranscribers,
    allowsVendorTools: false,
  };
  const bridge = bridgeBetween("realtime", wire, names);
  const closing = once(socket, "close", { signal }).then(([code, reason]: unknown[]) => ({
    ok: false,
    vendorMessage: `The vendor closed with ${String(code)} ${String(reason)}`,
  }));
  const first = once(socket, "message", { signal }).then(([data]: unknown[]) => {
    if (!Buffer.isBuffer(data)) return { ok: false, vendorMessage: "The vendor sent no text." };
    const events = bridge.fromVendor({ data, binary: false }).toClient.map(({ data }) => data);
    const hasStarted = events.some((event) => eventType(event)?.startsWith("session."));
    return { ok: hasStarted, vendorMessage: data.toString("utf8", 0, answerBytes) };
  });
  const opening = bridge.vendorSpeaksFirst ? [] : bridge.fromClient({ data: sessionUpdate, binary: false }).toVendor;
  for (const { data } of opening) socket.send(data, { binary: false });
  socket.resume();
  try {
    return await Promise.race([first, closing]);
  } catch (error) {
    throw signal.aborted ? new Failure("upstream_timeout", "The vendor opened the session and sent nothing.") : error;
  } finally {
    // The losing promise rejects later, which is ignored.
    first.catch(() => undefined);
    closing.catch(() => undefined);
  }
}
