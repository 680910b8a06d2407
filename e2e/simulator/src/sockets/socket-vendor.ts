import type { IncomingHttpHeaders } from "node:http";
import type { Behaviour } from "../behaviour.ts";
import type { Refusal } from "../checks/refusal.ts";
import type { Peer } from "./peer.ts";

/** Request to open a WebSocket. */
export interface SocketCall {
  /** Path without `/at/<instance>`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Behaviour that the test scripted for this connection. A directive in a message takes precedence for its answer. */
  readonly behaviour: Behaviour;
}

export interface Conversation {
  text(data: string): void;
  closed(): void;
}

/** Simulated vendor with a WebSocket API. */
export interface SocketVendor {
  /** True if events are sent in binary frames. */
  readonly binary?: true;
  accepts(path: string): boolean;
  /** Throws a Refusal if there is no valid key. The refusal is sent as an HTTP answer, without a WebSocket. */
  authenticate(call: SocketCall): void;
  renderError(refusal: Refusal): object;
  converse(peer: Peer, call: SocketCall): Conversation;
  /** Renders a failure as an event; undefined if the vendor only closes the connection. */
  failure(message: string): object | undefined;
}
