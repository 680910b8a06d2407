import type { IncomingHttpHeaders } from "node:http";
import type { Behaviour } from "../behaviour.ts";
import type { Refusal } from "../checks/refusal.ts";
import type { Peer } from "./peer.ts";

/** A wish for a WebSocket at a simulated vendor. */
export interface SocketCall {
  /** Below the instance, query left out. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** What the instance's script asks for; it stands for every answer of the connection that asks for nothing itself. */
  readonly behaviour: Behaviour;
}

/** A conversation over one connection. */
export interface Conversation {
  text(data: string): void;
  /** The connection is over. */
  closed(): void;
}

/** A vendor that is met by WebSocket: a folder, and a line in `upgrade.ts`. */
export interface SocketVendor {
  /** It writes its events in binary frames; absent: in text. */
  readonly binary?: true;
  accepts(path: string): boolean;
  /** Throws a Refusal, which is answered as plain HTTP. */
  admit(call: SocketCall): void;
  renderError(refusal: Refusal): object;
  converse(peer: Peer, call: SocketCall): Conversation;
  /** How the vendor says on the connection that it failed; undefined where it just closes. */
  failure(message: string): object | undefined;
}
