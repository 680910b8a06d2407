import { once } from "node:events";
import { expect, test } from "vitest";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { until } from "@modelgate/testkit";
import { storedEvents } from "../events.ts";
import { ask, booksAgree, simulated, textSession, userMessage } from "../realtime-client.ts";
import { hello, keys, post } from "../suite-client.ts";
import { kill, type CrashSetup } from "./setup.ts";

export function killedRedisTests(setup: () => CrashSetup): void {
  test("an operator learns that Redis is unavailable, and when to retry", async () => {
    const { suite, redisOfControl } = setup();
    const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
    const ask = (path: string) =>
      fetch(suite.controlUrl + path, { headers: { authorization: `Bearer ${credential}` } });
    redisOfControl.holdAnswers("open");
    for (const path of ["/accounts/demo", "/accounts", "/channels"]) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 503]);
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(await answer.json()).toMatchObject({ error: { code: "server_overloaded" } });
    }
    // The ledger reads usage from the books.
    expect((await ask("/usage?from=2026-01-01&to=2026-01-02")).status).toBe(200);
    redisOfControl.holdAnswers("none");
    await until("the store to answer", async () => (await ask("/accounts/demo")).ok);
  });

  test("the text service is killed between the vendor's answer and settlement: charged once, published once", async () => {
    const { suite } = setup();
    const vendorSeen = (await suite.simulator.requests("main")).length;
    // Stopped before the vendor answers, so that no settlement is in the socket when the service is killed.
    const held = "killed";
    const requestId = "killed-before-settlement";
    const body = hello("fixed", `Hi {{simulate: {"waitFor": "${held}"}}}`);
    const answer = post(suite, body, keys.demo, { "x-request-id": requestId }).catch(() => undefined);
    await until(
      "the request to reach the vendor",
      async () => (await suite.simulator.requests("main")).length > vendorSeen,
    );
    await suite.backends.redis.kill();
    await suite.simulator.release(held);
    await until("the vendor's answer", async () => (await suite.simulator.requests("main")).at(-1)?.aborted === false);
    await kill(setup(), "text");
    await suite.backends.redis.start();
    await answer;
    await suite.restart("text");
    const dead = await until("the dead hold's event", async () =>
      (await storedEvents(suite.backends.natsUrl)).find(({ event }) => event.requestId === requestId),
    );
    // The floor, here the complete price per request, is charged.
    expect(dead.event).toMatchObject({ outcome: "failed", costNanos: "1000000", estimated: true });
    await booksAgree(suite, "demo");
  });

  test("Redis becomes unavailable: open answers are completed and charged, a session waits, new calls get 503 in their format, and it recovers", async () => {
    const { suite } = setup();
    const before = (await suite.simulator.requests("main")).length;
    const named = { "x-request-id": "under-way-0123456789" };
    const held = "under-way";
    const waiting = hello("chat", `Hi {{simulate: {"chunks": 40, "waitFor": "${held}"}}}`);
    const session = await textSession(suite);
    const whole = post(suite, waiting, keys.demo, named);
    const stream = await post(suite, { ...waiting, stream: true }, keys.demo, named);
    await until(
      "the request to reach the vendor",
      async () => (await suite.simulator.requests("main")).length === before + 2,
    );
    session.send(userMessage(simulated({ chunks: 20, waitFor: held })));
    session.send({ type: "response.create" });
    await session.next("response.output_text.delta");
    await suite.backends.redis.kill();
    await suite.simulator.release(held);
    const [answer, text] = await Promise.all([whole, stream.text()]);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("You said: Hi")]);
    expect(text).toContain("[DONE]");
    await session.next("response.done");
    expect((await session.next("error")).error.code).toBe("server_overloaded");
    const refused = await post(suite, hello("fixed"));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(await refused.json()).toMatchObject({ error: { code: "server_overloaded" } });
    expect(await suite.simulator.requests("main")).toHaveLength(before + 2);
    await suite.backends.redis.start();
    await until("calls to pass again", async () => (await post(suite, hello("fixed"))).status === 200);
    expect((await ask(session, "Hello")).response.status).toBe("completed");
    session.socket.close();
    await once(session.socket, "close");
    await booksAgree(suite, "demo");
    const events = (await storedEvents(suite.backends.natsUrl)).filter(
      ({ event: { requestId } }) => requestId === named["x-request-id"],
    );
    expect(events.map(({ event: { outcome, estimated } }) => [outcome, estimated])).toEqual([
      ["completed", false],
      ["completed", false],
    ]);
  });
}
