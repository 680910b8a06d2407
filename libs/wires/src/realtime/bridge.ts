import type { RealtimeMessage } from "./message.ts";

/** What one message comes to, on either side, in order. */
export interface Bridged {
  readonly toClient: readonly RealtimeMessage[];
  readonly toVendor: readonly RealtimeMessage[];
}

/**
 * A session between a client, who speaks the realtime format, and a vendor, who speaks it or another one. One for
 * every session; synchronous, and blind to sockets. It never throws: what a client said wrong is answered with an
 * error event, and the session goes on.
 */
export interface RealtimeBridge {
  /** Whether the vendor speaks first: one that then says nothing is no vendor. */
  readonly greets: boolean;
  /** What is said when the vendor's connection is open. */
  open(): Bridged;
  fromClient(message: RealtimeMessage): Bridged;
  fromVendor(message: RealtimeMessage): Bridged;
  /** Tells the vendor to end the response that is under way. */
  cancel(): readonly RealtimeMessage[];
}

/** What a session is between, in names. */
export interface RealtimeNames {
  /** The model as the client knows it, and as the vendor does. */
  readonly model: string;
  readonly upstreamModel: string;
  /** Part of every id that the bridge makes up, unique to the session. */
  readonly sessionId: string;
}

export const nothing: Bridged = { toClient: [], toVendor: [] };
