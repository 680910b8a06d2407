import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { headers } from "@modelgate/contracts";
import { WebSocketServer, type WebSocket } from "ws";

/** A connection that is to become a WebSocket. */
export interface Upgrading {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** What the WebSockets of a service have in common. */
export interface AcceptOptions {
  /** Largest message of a client. */
  readonly messageBytes: number;
  /** Chooses the subprotocol that is answered; false: none. */
  readonly chooseProtocol: (offered: Set<string>) => string | false;
}

/** Answers 101; undefined where the client has left. */
export type AcceptWebSocket = (upgrading: Upgrading) => WebSocket | undefined;

/** Opens the protocol's server side: no compression, whole messages within their bound, one Buffer each. */
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
