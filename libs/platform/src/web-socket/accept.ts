import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { headers, Failure } from "@modelgate/contracts";
import { WebSocketServer, type WebSocket } from "ws";

/** A connection that requests to become a WebSocket. */
export interface Upgrading {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Options that all WebSockets of a service share. */
export interface AcceptOptions {
  /** Maximum bytes of a client's message. */
  readonly messageBytes: number;
  /** Chooses the subprotocol of the answer; false: none. */
  readonly chooseProtocol: (offered: Set<string>) => string | false;
}

/** Accepts the upgrade with 101. Returns undefined if the client has disconnected. */
export type AcceptWebSocket = (upgrading: Upgrading) => WebSocket | undefined;

/**
 * Creates the server side of WebSockets: without compression; messages are complete, limited in size, and one Buffer
 * each.
 */
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

const version = "13";
/** Matches a nonce of 16 bytes in base64. */
const nonce = /^[+/0-9A-Za-z]{22}==$/;
/** Matches a list of subprotocols, which are HTTP tokens. */
const protocolList = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Checks an opening handshake. Returns the subprotocols that it offers. Throws Failure (400) if it is not a WebSocket
 * handshake.
 */
export function checkHandshake({ headers }: Pick<IncomingMessage, "headers">): readonly string[] {
  if (headers.upgrade?.toLowerCase() !== "websocket") throw new Failure("websocket_required");
  if (!nonce.test(headers["sec-websocket-key"] ?? "")) throw invalidHeader("sec-websocket-key", "a nonce");
  if (headers["sec-websocket-version"] !== version) throw invalidHeader("sec-websocket-version", version);
  const offered = headers["sec-websocket-protocol"];
  if (offered !== undefined && !protocolList.test(offered))
    throw invalidHeader("sec-websocket-protocol", "a list of names");
  return offered?.split(",").map((name) => name.trim()) ?? [];
}

function invalidHeader(param: string, wanted: string): Failure {
  return new Failure("invalid_value", `The header ${param} must be ${wanted}.`, { param });
}
