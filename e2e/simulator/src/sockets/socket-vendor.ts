import type { IncomingHttpHeaders } from "node:http";
import type { Behaviour } from "../behaviour.ts";
import type { Refusal } from "../checks/refusal.ts";
import type { Peer } from "./peer.ts";

/** Request to open a WebSocket at a simulated vendor. */
export interface SocketCall {
  /** Path after the instance, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Behaviour that the instance's script requests. It applies to every answer whose message requests none. */
  readonly behaviour: Behaviour;
}

/** Conversation over one connection. */
export interface Conversation {
  text(data: string): void;
  /** Called when the connection is closed. */
  closed(): void;
}

/** Simulated vendor with a WebSocket API: a folder, and a line in `upgrade.ts`. */
export interface SocketVendor {
  /** True if events are sent in binary frames; absent for text frames. */
  readonly binary?: true;
  accepts(path: string): boolean;
  /** Authenticates a call. Throws a Refusal, which is answered as plain HTTP. */
  authenticate(call: SocketCall): void;
  renderError(refusal: Refusal): object;
  converse(peer: Peer, call: SocketCall): Conversation;
  /** Renders a failure of the vendor as an event; undefined if the vendor only closes the connection. */
  failure(message: string): object | undefined;
}
