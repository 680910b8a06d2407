import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startLocalSuite, until, type LocalBackends, type Suite } from "@modelgate/testkit";
import { config, keys } from "./suite-client.ts";
import { booksAgree, simulated } from "./realtime-client.ts";

let suite: Suite<LocalBackends>;
beforeAll(async () => {
  suite = await startLocalSuite({ fresh: true, shape: "apart", config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

async function open(key: string) {
  const url = `${suite.edgeUrl.replace("http", "ws")}/v1/responses`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
  const received: any[] = [];
  socket.on("message", (data: Buffer) => received.push(JSON.parse(data.toString())));
  const closed = once(socket, "close").then(([code]: unknown[]) => code);
  await once(socket, "open");
  const ask = (input: string) => socket.send(JSON.stringify({ type: "response.create", model: "chat", input }));
  const next = (type: string) => until(type, () => Promise.resolve(received.find((event) => event.type === type)));
  return { socket, received, closed, ask, next };
}

test("a key is disabled during a response: it continues, the next is refused, and the socket is closed", async () => {
  const created = await suite.ask<{ id: string; key: string }>("token", "create", "demo", "--group", "default");
  const { ask, next, closed } = await open(created.key);
  ask(simulated({ chunks: 20, chunkDelayMs: 50, bodyBytes: 200 }));
  await next("response.output_text.delta");
  await suite.ask("token", "disable", created.id);
  await next("response.completed");
  ask("Hello");
  expect((await next("error")).error).toMatchObject({ code: "api_key_disabled" });
  expect(await closed).toBe(1008);
  await booksAgree(suite, "demo");
});

test("a service that shuts down during a response finishes it, and then closes the socket", async () => {
  const { ask, received, next, closed } = await open(keys.demo);
  ask(simulated({ chunks: 20, chunkDelayMs: 50, bodyBytes: 200 }));
  await next("response.output_text.delta");
  suite.process("text").signal("SIGTERM");
  expect(await closed).toBe(1012);
  expect(received.at(-1)?.type).toBe("response.completed");
  expect(await suite.process("text").ended).toBe(0);
  await booksAgree(suite, "demo");
});
