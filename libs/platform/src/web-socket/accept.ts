import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { headers, Failure } from "@modelgate/contracts";
import { WebSocketServer, type WebSocket } from "ws";

export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export interface AcceptOptions {
  /** Maximum bytes of one message of a client. */
  readonly messageBytes: number;
  /** Chooses one of the subprotocols that the client offers; false for none. */
  readonly chooseProtocol: (offered: Set<string>) => string | false;
}

/** Accepts an upgrade. Returns undefined if the client has disconnected. */
export type AcceptWebSocket = (upgrading: UpgradeRequest) => WebSocket | undefined;

/** Creates the function that accepts WebSockets. They use no compression. */
export function acceptWebSockets({ messageBytes, chooseProtocol }: AcceptOptions): AcceptWebSocket {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    handleProtocols: chooseProtocol,
  });
  server.on("headers", (lines, request) => {
    const id = request.headers[headers.requestId];
    if (typeof id === "string") lines.push(`${headers.requestId}: ${id}`);
  });
  return ({ request, socket, head }) => {
    let switched: WebSocket | undefined;
    server.handleUpgrade(request, socket, head, (client) => {
      switched = client;
    });
    return switched;
  };
}

const webSocketVersion = "13";
const nonceShape = /^[+/0-9A-Za-z]{22}==$/;
const protocolList = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Checks an opening handshake and returns the subprotocols that the client offers. Throws Failure (400) if it is
 * invalid.
 */
export function checkHandshake({ headers }: Pick<IncomingMessage, "headers">): readonly string[] {
  if (headers.upgrade?.toLowerCase() !== "websocket") throw new Failure("websocket_required");
  if (!nonceShape.test(headers["sec-websocket-key"] ?? "")) throw invalidHeader("sec-websocket-key", "a nonce");
  if (headers["sec-websocket-version"] !== webSocketVersion)
    throw invalidHeader("sec-websocket-version", webSocketVersion);
  const offered = headers["sec-websocket-protocol"];
  if (offered !== undefined && !protocolList.test(offered))
    throw invalidHeader("sec-websocket-protocol", "a list of names");
  return offered?.split(",").map((name) => name.trim()) ?? [];
}

function invalidHeader(param: string, expected: string): Failure {
  return new Failure("invalid_value", `The header ${param} must be ${expected}.`, { param });
}
