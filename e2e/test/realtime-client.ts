import { expect } from "vitest";
import { until, type Suite } from "@modelgate/testkit";
import { openSessionAt, refusalAt, textOnly, type TestSession } from "../../services/realtime/test/session-client.ts";
import { storedEvents } from "./events.ts";
import { keys, money } from "./suite-client.ts";

export {
  ask,
  handshake,
  userMessage,
  simulated,
  type TestSession,
} from "../../services/realtime/test/session-client.ts";

/** Different prices for all units, so that a wrong unit changes the total. */
export const price = { input: 4, cachedInput: 0.4, output: 16, inputAudio: 32, outputAudio: 64, second: 0.0001 };

/** Limits with small holds. */
export const limits = { realtime: { slice: { audioSeconds: 1, textTokens: 100 } } };

/** Waits for this number of usage events of a model. */
export async function usageEvents({ backends }: Suite, model: string, count: number) {
  return until(`${count} events of ${model}`, async () => {
    const found = (await storedEvents(backends.natsUrl)).filter(({ event }) => event.model === model);
    return found.length >= count && found;
  });
}

/** Opens a session without an SDK. Rejects if it is refused. */
export function openSession(
  suite: Suite,
  { model, key = keys.demo, headers }: { model?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<TestSession> {
  return openSessionAt(suite.edgeUrl, model, { authorization: `Bearer ${key}`, ...headers });
}

/** Returns the HTTP answer to a refused handshake. */
export const refusal = (suite: Suite, path: string, headers: Record<string, string>) =>
  refusalAt(suite.edgeUrl + path, headers);

/** Opens a session that answers with text. */
export async function textSession(suite: Suite, model = "live", key: string = keys.demo): Promise<TestSession> {
  const session = await openSession(suite, { model, key });
  session.send(textOnly);
  await session.next("session.updated");
  return session;
}

/** Opens a session in the format of GPT-Live. */
export async function liveSession(suite: Suite, model: string, key: string = keys.demo): Promise<TestSession> {
  const headers = { authorization: `Bearer ${key}` };
  const session = await openSessionAt(suite.edgeUrl, undefined, headers, "/v1/live/sessions");
  session.send({ type: "session.start", session: { model } });
  await session.next("session.started");
  return session;
}

/** Waits until nothing is reserved and all events are stored, and checks the books. */
export async function booksAgree(suite: Suite, account: string): Promise<void> {
  await until("no open hold, and every settlement to be stored", async () => {
    // A store refuses requests for a moment after it has started again.
    const books = await money(suite, account).catch(() => undefined);
    if (books?.heldNanos !== "0") return false;
    expect(BigInt(books.balanceNanos)).toBe(BigInt(books.creditedNanos) - BigInt(books.spentNanos));
    const events = (await storedEvents(suite.backends.natsUrl)).filter(({ event }) => event.accountId === account);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    return events.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n) === BigInt(books.spentNanos);
  });
}
