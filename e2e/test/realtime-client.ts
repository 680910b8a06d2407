import { expect } from "vitest";
import { until, type Suite } from "@modelgate/testkit";
import { openSessionAt, refusalAt, textOnly, type TestSession } from "../../services/realtime/test/session-client.ts";
import { storedEvents } from "./events.ts";
import { keys, money } from "./suite-client.ts";

export { ask, handshake, say, simulated, type TestSession } from "../../services/realtime/test/session-client.ts";

/** Prices with which every unit can be recognised in the total. */
export const price = { input: 4, cachedInput: 0.4, output: 16, inputAudio: 32, outputAudio: 64, second: 0.0001 };

/** Limits with a short wait for vendors and small reservations. */
export const limits = {
  realtime: { sessions: { firstEventMs: 500 }, slice: { audioSeconds: 1, textTokens: 100 } },
};

/** Waits until a model has this number of usage events. */
export async function usageEvents({ backends }: Suite, model: string, count: number) {
  return until(`${count} events of ${model}`, async () => {
    const found = (await storedEvents(backends.natsUrl)).filter(({ event }) => event.model === model);
    return found.length >= count && found;
  });
}

/** Opens a session without an SDK. Rejects with the refusal. */
export function openSession(
  suite: Suite,
  { model, key = keys.demo, headers }: { model?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<TestSession> {
  return openSessionAt(suite.edgeUrl, model, { authorization: `Bearer ${key}`, ...headers });
}

/** Returns the HTTP answer to a refused handshake. */
export const refusal = (suite: Suite, path: string, headers: Record<string, string>) =>
  refusalAt(suite.edgeUrl + path, headers);

/** Opens a session whose answers are text. */
export async function textSession(suite: Suite, model = "live", key: string = keys.demo): Promise<TestSession> {
  const session = await openSession(suite, { model, key });
  session.send(textOnly);
  await session.next("session.updated");
  return session;
}

/** Opens a session of GPT-Live, and waits until its vendor has started it. */
export async function liveSession(suite: Suite, model: string, key: string = keys.demo): Promise<TestSession> {
  const headers = { authorization: `Bearer ${key}` };
  const session = await openSessionAt(suite.edgeUrl, undefined, headers, "/v1/live/sessions");
  session.send({ type: "session.start", session: { model } });
  await session.next("session.started");
  return session;
}

/**
 * Waits until no money is reserved and every settlement is a stored event; then the books must agree exactly. The
 * amounts are read in each check, because calls without a reservation are settled later.
 */
export async function booksAgree(suite: Suite, account: string): Promise<void> {
  await until("no open hold, and every settlement to be stored", async () => {
    // Requests are refused for a moment after a store has become available again.
    const books = await money(suite, account).catch(() => undefined);
    if (books?.heldNanos !== "0") return false;
    expect(BigInt(books.balanceNanos)).toBe(BigInt(books.creditedNanos) - BigInt(books.spentNanos));
    const events = (await storedEvents(suite.backends.natsUrl)).filter(({ event }) => event.accountId === account);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    return events.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n) === BigInt(books.spentNanos);
  });
}
