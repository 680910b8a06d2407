import type { WebSocket } from "ws";
import { startWebSocketServer } from "../servers.ts";

export type SessionEvent = Readonly<Record<string, unknown>>;

/** Vendor of WebSocket sessions whose events a test determines. */
export interface SessionVendor extends AsyncDisposable {
  readonly url: string;
  /** Events of all sessions, the newest last. A test may empty the list. */
  readonly events: SessionEvent[];
  readonly sessions: ReadonlySet<WebSocket>;
}

export interface SessionScript {
  opened?(session: WebSocket): void;
  received?(event: SessionEvent, session: WebSocket): void;
}

/** Starts a vendor that sends only what its script or the test sends. */
export async function startSessionVendor({ opened, received }: SessionScript = {}): Promise<SessionVendor> {
  const events: SessionEvent[] = [];
  const server = await startWebSocketServer((session) => {
    opened?.(session);
    session.on("message", (data: Buffer) => {
      const event: SessionEvent = JSON.parse(data.toString());
      events.push(event);
      received?.(event, session);
    });
  });
  return {
    url: server.url,
    events,
    sessions: server.sockets.clients,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export function sendEvent(session: WebSocket, event: object): void {
  session.send(JSON.stringify(event));
}
