import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalBackends, startSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { config, hello, keys, money, post, settledMoney } from "./suite-client.ts";

let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startSuite({
    // Redis is killed and must keep its last writes. With `everysec`, it would delay writes while the disk is busy.
    backends: await startLocalBackends({ fsync: "no" }),
    shape: "apart",
    config,
    // `afterOutageMs` is longer than the pause between two settlement attempts.
    limits: {
      relay: { limits: { leaseMs: 1_500 } },
      edge: { seatLeaseMs: 900 },
      ledger: { rounds: { afterOutageMs: 4_000 } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

const slowStream = (model: string) => ({
  ...hello(model, 'Hi {{simulate: {"chunks": 500, "chunkDelayMs": 20}}}'),
  stream: true,
});

async function booksAgree(): Promise<void> {
  const account = await settledMoney(suite);
  expect(BigInt(account.balanceNanos)).toBe(BigInt(account.creditedNanos) - BigInt(account.spentNanos));
  await until("every settlement to be stored", async () => {
    const events = await storedEvents(suite.backends.natsUrl);
    const ids = new Set(events.map(({ id }) => id));
    expect(ids.size).toBe(events.length);
    return (
      events.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n) === BigInt((await money(suite)).spentNanos)
    );
  });
}

test("the text service is killed between the vendor's answer and settlement: charged once, published once", async () => {
  const vendorSeen = (await suite.simulator.requests("main")).length;
  // Stopped before the vendor answers, so that no settlement is in the socket when the service is killed.
  const held = "killed";
  const answer = post(suite, hello("fixed", `Hi {{simulate: {"waitFor": "${held}"}}}`)).catch(() => undefined);
  await until(
    "the request to reach the vendor",
    async () => (await suite.simulator.requests("main")).length > vendorSeen,
  );
  await suite.backends.redis.kill();
  await suite.simulator.release(held);
  await until("the vendor's answer", async () => (await suite.simulator.requests("main")).at(-1)?.aborted === false);
  suite.process("text").signal("SIGKILL");
  await suite.process("text").ended;
  await suite.backends.redis.start();
  await answer;
  await suite.restart("text");
  const dead = await until("the dead hold's event", async () =>
    (await storedEvents(suite.backends.natsUrl)).find(({ event }) => event.model === "fixed" && event.estimated),
  );
  // The floor, here the complete price per request, is charged.
  expect(dead.event).toMatchObject({ outcome: "failed", costNanos: "1000000", estimated: true });
  await booksAgree();
});

test("Redis becomes unavailable: open answers are completed and charged, new calls get 503 in their format, and it recovers", async () => {
  const before = (await suite.simulator.requests("main")).length;
  const named = { "x-request-id": "under-way-0123456789" };
  const held = "under-way";
  const waiting = hello("chat", `Hi {{simulate: {"chunks": 40, "waitFor": "${held}"}}}`);
  const whole = post(suite, waiting, keys.demo, named);
  const stream = await post(suite, { ...waiting, stream: true }, keys.demo, named);
  await until(
    "the request to reach the vendor",
    async () => (await suite.simulator.requests("main")).length === before + 2,
  );
  await suite.backends.redis.kill();
  await suite.simulator.release(held);
  const [answer, text] = await Promise.all([whole, stream.text()]);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("You said: Hi")]);
  expect(text).toContain("[DONE]");
  const refused = await post(suite, hello("fixed"));
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).not.toBeNull();
  expect(await refused.json()).toMatchObject({ error: { code: "server_overloaded" } });
  expect(await suite.simulator.requests("main")).toHaveLength(before + 2);
  await suite.backends.redis.start();
  await until("calls to pass again", async () => (await post(suite, hello("fixed"))).status === 200);
  // The services notice separately that Redis is available again.
  await until("control to answer", () =>
    money(suite).then(
      () => true,
      () => false,
    ),
  );
  await booksAgree();
  const events = (await storedEvents(suite.backends.natsUrl)).filter(
    ({ event: { requestId } }) => requestId === named["x-request-id"],
  );
  expect(events.map(({ event: { outcome, estimated } }) => [outcome, estimated])).toEqual([
    ["completed", false],
    ["completed", false],
  ]);
});

test("the edge is killed: its seats are released when their leases end", async () => {
  const open = await post(suite, slowStream("chat"), keys.single);
  expect(open.status).toBe(200);
  expect((await post(suite, hello("chat"), keys.single)).status).toBe(429);
  suite.process("edge").signal("SIGKILL");
  await suite.process("edge").ended;
  await open.text().catch(() => undefined);
  await suite.restart("edge");
  await until("the seat to be released", async () => (await post(suite, hello("chat"), keys.single)).status === 200);
  await booksAgree();
});
