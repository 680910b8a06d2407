import { once } from "node:events";
import { get } from "node:http";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { findAccount } from "@modelgate/accounts";
import { shapes, until, type Shape, type Suite } from "@modelgate/testkit";
import { onRedis } from "../chaos/redis-log.ts";
import { streamsOfDrain } from "../../services/text/test/broken-streams.ts";
import { storedEvents } from "./events.ts";
import { handshake, refusal } from "./realtime-client.ts";
import { hello, keys, post } from "./suite-client.ts";

/** Tests of processes that shut down with open calls. They end the edge, and so all services of a single process. */
export function drainTests(suites: () => Readonly<Record<Shape, Suite>>): void {
  test.concurrent.each(shapes)(
    "services %s: the drain of the edge ends while streams and a WebSocket are open",
    async (shape) => {
      const suite = suites()[shape];
      const wires = streamsOfDrain("chat");
      const before = (await suite.simulator.requests("main")).length;
      const opened = wires.map(({ path, body }, at) =>
        fetch(suite.edgeUrl + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${keys.demo}`,
            "content-type": "application/json",
            "anthropic-version": "2023-06-01",
            "x-request-id": `drained-stream-${at}`,
          },
          body: JSON.stringify(body),
        }),
      );
      const delayedBody = hello("chat", 'Hi {{simulate: {"delayMs": 60000}}}');
      const whole = post(suite, delayedBody, keys.demo, { "x-request-id": "drained-whole" });
      await until(
        "all requests to reach the vendor",
        async () => (await suite.simulator.requests("main")).length === before + wires.length + 1,
      );
      const answers = await Promise.all(opened);
      const headers = { authorization: `Bearer ${keys.demo}` };
      const socket = new WebSocket(`${suite.edgeUrl.replace("http", "ws")}/v1/responses`, { headers });
      await once(socket, "open");
      const closed = once(socket, "close");
      // Leaves an open connection, because a draining server accepts no new ones.
      const [listed] = await once(get(`${suite.edgeUrl}/v1/models`, { headers }), "response");
      await once(listed.resume(), "end");
      suite.process("edge").signal("SIGTERM");
      await until("it to drain", async () => suite.process("edge").logs().includes("draining"));
      const late = await refusal(suite, "/v1/responses", { ...headers, ...handshake });
      expect([late.status, late.headers["retry-after"]]).toEqual([503, "1"]);
      expect((await closed)[0]).toBe(1012);
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      for (const [at, { path, broken }] of wires.entries()) expect(texts[at], path).toMatch(broken);
      const refused = await whole;
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await refused.json()).toMatchObject({ error: { code: "server_overloaded" } });
      expect(await suite.process("edge").ended).toBe(0);

      const events = await until("an event of each", async () => {
        const stored = (await storedEvents(suite.backends.natsUrl)).map(({ event }) => event);
        const own = stored.filter(({ requestId }) => requestId.startsWith("drained-"));
        return own.length === wires.length + 1 && own;
      });
      const streams = events.filter(({ requestId }) => requestId.includes("stream"));
      expect(streams.map(({ outcome, status }) => [outcome, status])).toEqual(wires.map(() => ["failed", 200]));
      expect(streams.every(({ units, costNanos }) => (units.outputTokens ?? 0) > 0 && costNanos !== "0")).toBe(true);
      const [waited] = events.filter(({ requestId }) => requestId.includes("whole"));
      expect(waited).toMatchObject({ outcome: "failed", status: 503, costNanos: "0" });
      const account = await onRedis(suite.backends.redisUrl, (redis) => findAccount(redis, "demo"));
      expect(account?.heldNanos).toBe(0n);
    },
  );

  test("the shutdown of an edge begins no cooldown", async () => {
    const metrics = await (await fetch(`${suites().apart.opsUrl("text")}/metrics`)).text();
    expect(metrics).not.toMatch(/modelgate_channel_state\{scope="main/);
  });
}
