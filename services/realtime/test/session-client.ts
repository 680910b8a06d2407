import { once } from "node:events";
import { request } from "node:http";
import { WebSocket } from "ws";

export interface TestSession {
  readonly socket: WebSocket;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly texts: string[];
  /** Returns the next event of a type, after the one that was returned last. */
  next(type: string): Promise<any>;
  send(event: object | string): void;
  /** Resolves with the code and reason of the session's close. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a session. Rejects if the gateway refuses it. */
export async function openSessionAt(
  address: string,
  model: string | undefined,
  headers: Readonly<Record<string, string>>,
  path = "/v1/realtime",
): Promise<TestSession> {
  const query = model === undefined ? "" : `?model=${encodeURIComponent(model)}`;
  const socket = new WebSocket(`${address.replace("http", "ws")}${path}${query}`, { headers });
  const texts: string[] = [];
  const untaken: any[] = [];
  const changed = new Set<() => void>();
  const session: { closedWith?: { code: number; reason: string } } = {};
  const change = (): void => {
    for (const notify of changed) notify();
  };
  socket.on("message", (data: Buffer, binary) => {
    if (binary) return;
    texts.push(data.toString());
    untaken.push(JSON.parse(data.toString()));
    change();
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => {
      session.closedWith = { code, reason: reason.toString() };
      resolve(session.closedWith);
      change();
    });
  });
  socket.on("error", () => undefined);
  const [response] = await once(socket, "upgrade");
  // The connection may already be open, or even closed.
  if (socket.readyState === WebSocket.CONNECTING) await once(socket, "open");

  async function next(type: string): Promise<any> {
    for (;;) {
      const at = untaken.findIndex((event) => event.type === type);
      const [found] = at < 0 ? [] : untaken.splice(0, at + 1).slice(-1);
      if (found !== undefined) return found;
      const { closedWith } = session;
      if (closedWith !== undefined)
        throw new Error(
          `closed with ${closedWith.code} ${closedWith.reason} before ${type}: ${texts.slice(-3).join("\n")}`,
        );
      await new Promise<void>((resolve) => {
        const notify = (): void => {
          changed.delete(notify);
          resolve();
        };
        changed.add(notify);
      });
    }
  }
  return {
    socket,
    headers: response.headers,
    texts,
    next,
    closed,
    send: (event) => socket.send(typeof event === "string" ? event : JSON.stringify(event)),
  };
}

/** Headers of a valid opening handshake. */
export const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
} as const;

/** Sends an opening handshake and returns its refusal. Throws an error if the handshake is accepted. */
export async function refusalAt(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly headers: Record<string, unknown>; readonly body: any }> {
  const opening = request(url, { headers });
  opening.end();
  const [response] = await Promise.race([
    once(opening, "response"),
    once(opening, "upgrade").then(([, socket]) => {
      socket.destroy();
      throw new Error("it was let in");
    }),
  ]);
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
}

export const textOnly = { type: "session.update", session: { type: "realtime", output_modalities: ["text"] } };

/** Returns an event with a user's text message. */
export const userMessage = (text: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});

/** Sends a text and waits for the complete response. */
export async function ask(session: TestSession, text: string): Promise<any> {
  session.send(userMessage(text));
  session.send({ type: "response.create" });
  return session.next("response.done");
}

/** Returns a text that makes the simulated vendor behave as described. */
export const simulated = (behaviour: object): string => `Hi {{simulate: ${JSON.stringify(behaviour)}}}`;
