import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { UpgradeHandler } from "@modelgate/platform";
import { WebSocketServer, type WebSocket } from "ws";
import type { Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import { geminiLive } from "../gemini/live/index.ts";
import { plainInstance, type Instance } from "../instances.ts";
import { openaiLive } from "../openai/live/index.ts";
import { openaiRealtime } from "../openai/realtime/index.ts";
import { vertexLive } from "../vertex/live.ts";
import { Peer } from "./peer.ts";
import type { SocketCall, SocketVendor } from "./socket-vendor.ts";
import { pause } from "../core/pause.ts";

/** All simulated vendors with a WebSocket API. */
const socketVendors: readonly SocketVendor[] = [openaiRealtime, openaiLive, geminiLive, vertexLive];

const maxMessageBytes = 32 * 1024 * 1024;

/** Creates the listener for WebSockets. All vendors send a client's binary messages back, for benchmarks. */
export function createUpgrade(instanceOf: (name: string) => Instance): UpgradeHandler {
  const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: maxMessageBytes });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    const [, name = plainInstance, path = pathname] = /^\/at\/([\w.-]+)(\/.*)$/.exec(pathname) ?? [];
    const vendor = socketVendors.find((known) => known.accepts(path));
    if (vendor === undefined) return refuse(socket, 404, { error: { message: `No WebSocket at ${pathname}.` } });
    const instance = instanceOf(name);
    const behaviour = instance.next() ?? {};
    const received = instance.remember(request, pathname, Buffer.alloc(0), undefined);
    const call: SocketCall = { path, query, headers: request.headers, behaviour };
    if (behaviour.delayMs !== undefined) await pause(behaviour.delayMs);
    if (behaviour.closeBeforeHead === true) return void socket.destroy();
    try {
      if (behaviour.status !== undefined) throw simulatedRefusal(behaviour.status, behaviour);
      vendor.authenticate(call);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return refuse(socket, error.status, vendor.renderError(error), error.retryAfter);
    }
    server.handleUpgrade(request, socket, head, (opened) => {
      if (received !== undefined) Object.assign(received, { messages: [], sentBytes: 0 });
      const peer = new Peer(opened, vendor.binary === true, (bytes) => {
        if (received?.sentBytes !== undefined) received.sentBytes += bytes;
      });
      opened.on("message", (data: unknown, binary) => {
        if (Buffer.isBuffer(data))
          received?.messages?.push(data.toString(binary ? "base64" : "utf8").slice(0, maxKept));
      });
      opened.on("close", (code) => {
        if (received !== undefined) Object.assign(received, { closeCode: code, aborted: code === 1006 });
      });
      serve(vendor, opened, peer, call);
    });
  }

  return (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    upgrade(request, socket, head).catch((error: unknown) =>
      refuse(socket, 500, { error: { message: error instanceof Error ? error.message : String(error) } }),
    );
  };
}

/** Maximum stored characters per message. */
const maxKept = 64 * 1024;

/** Starts a conversation, with the fault requested for its start. */
function serve(vendor: SocketVendor, socket: WebSocket, peer: Peer, call: SocketCall): void {
  socket.on("error", () => undefined);
  const { openWith, closeCode = 1011 } = call.behaviour;
  if (openWith === "silence") return;
  if (openWith === "garbage") return peer.send("<html>not what you asked for</html>");
  if (openWith === "error") peer.send(vendor.failure("simulated failure at the opening") ?? {});
  if (openWith !== undefined) return peer.close(closeCode, "simulated close at the opening");
  const conversation = vendor.converse(peer, { ...call, behaviour: withoutInitialDelay(call.behaviour) });
  socket.on("message", (data: unknown, binary) => {
    if (!Buffer.isBuffer(data)) return;
    if (binary) socket.send(data, { binary });
    else conversation.text(data.toString());
  });
  socket.on("close", () => conversation.closed());
}

function withoutInitialDelay({ delayMs: _before, ...behaviour }: Behaviour): Behaviour {
  return behaviour;
}

function simulatedRefusal(status: number, { errorCode: code, errorMessage, retryAfter }: Behaviour): Refusal {
  return new Refusal(status, errorMessage ?? `simulated ${status}`, {
    ...(code === undefined ? {} : { code }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

function refuse(socket: Duplex, status: number, body: object, retryAfter?: string): void {
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${text}`);
}
