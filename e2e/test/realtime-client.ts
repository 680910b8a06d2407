import { once } from "node:events";
import { request } from "node:http";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { keys, money } from "./house.ts";

/** A session as a test drives it: what came is kept, and can be waited for. */
export interface TestSession {
  readonly socket: WebSocket;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly texts: string[];
  /** The next event of a type that was not taken yet. */
  next(type: string): Promise<any>;
  send(event: object | string): void;
  /** How it was closed. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a session by hand; rejects with the refusal where it is refused. */
export async function openSession(
  suite: Suite,
  { model, key = keys.demo, ...options }: { model?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<TestSession> {
  const query = model === undefined ? "" : `?model=${encodeURIComponent(model)}`;
  const url = `${suite.edgeUrl.replace("http", "ws")}/v1/realtime${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}`, ...options.headers } });
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
  // It may be open, or even over, by now.
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

/** The headers of a well-formed opening handshake. */
export const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
} as const;

/** What an opening handshake is answered, where that is no 101. */
export async function refusal(
  suite: Suite,
  path: string,
  headers: Record<string, string>,
): Promise<{ readonly status: number; readonly headers: Record<string, unknown>; readonly body: any }> {
  const asked = request(`${suite.edgeUrl}${path}`, { headers });
  asked.end();
  const [response] = await Promise.race([
    once(asked, "response"),
    once(asked, "upgrade").then(([, socket]) => {
      socket.destroy();
      throw new Error("it was let in");
    }),
  ]);
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) };
}

/** Text in, text out. */
export const textOnly = { type: "session.update", session: { type: "realtime", output_modalities: ["text"] } };

/** What a user says in text. */
export const say = (text: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});

/** Says something and waits for the whole answer. */
export async function ask(session: TestSession, text: string): Promise<any> {
  session.send(say(text));
  session.send({ type: "response.create" });
  return session.next("response.done");
}

/** A session whose answers are text. */
export async function textSession(suite: Suite, model = "live", key: string = keys.demo): Promise<TestSession> {
  const session = await openSession(suite, { model, key });
  session.send(textOnly);
  await session.next("session.updated");
  return session;
}

/** Words that ask the simulated vendor for an answer of a kind. */
export const simulated = (behaviour: object): string => `Hi {{simulate: ${JSON.stringify(behaviour)}}}`;

/**
 * Waits until nothing is held and every settlement is a stored event; then the books must agree to the nano. Money is
 * read anew each time: calls without a hold are settled after the last hold is gone.
 */
export async function booksAgree(suite: Suite, account: string): Promise<void> {
  await until("nothing to be held and every settlement to be stored", async () => {
    // A store that has just come back is refused for a moment.
    const books = await money(suite, account).catch(() => undefined);
    if (books?.heldNanos !== "0") return false;
    expect(BigInt(books.balanceNanos)).toBe(BigInt(books.creditedNanos) - BigInt(books.spentNanos));
    const events = (await storedEvents(suite.backends.natsUrl)).filter(({ event }) => event.accountId === account);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    return events.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n) === BigInt(books.spentNanos);
  });
}
