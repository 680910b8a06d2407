import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountKeys } from "@modelgate/accounts";
import { shutdownRequest } from "@modelgate/platform";
import { startScriptedServer, until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { ask, callbacksHere, ended, films, quickLimits, promptWith } from "./films.ts";

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: films,
    env: { ...callbacksHere, BUFFER_BYTES: "3000000" },
    limits: {
      video: {
        ...quickLimits.video,
        callbacks: { timeoutMs: 1_000 },
        relay: { buffers: { shares: { tokenPercent: 100, accountPercent: 100 } } },
      },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

test("an interrupted callback is sent again", async () => {
  const tries = new Map<string, number>();
  await using client = await startScriptedServer(({ body }, response) => {
    const { id } = JSON.parse(body);
    tries.set(id, (tries.get(id) ?? 0) + 1);
    if (tries.get(id) !== 1) return {};
    response.destroy();
    return undefined;
  });
  const body = { model: "film-kling", prompt: promptWith({ polls: 1_000_000 }), callback_url: client.url };
  const { json } = await ask(area, "/v1/video/generations", body);
  await until("the second attempt", () => tries.get(`${json.task_id}.queued`) === 2);
});

test.each([
  ["film-openai", "openai-films"],
  ["film-compatible", "compatible"],
  ["film-jimeng", "jimeng"],
  ["film-veo", "veo"],
  ["film-vertex", "vertex-films"],
  ["film-wan", "wan"],
  ["film-seedance", "seedance"],
])("%s: every transition is sent, and the address is never sent to the vendor", async (model, channel) => {
  const states = new Set<string>();
  await using client = await startScriptedServer((request) => {
    states.add(JSON.parse(request.body).state);
    return {};
  });
  await area.simulator.forget(channel);
  const body = { model, prompt: promptWith({ polls: 4 }), callback_url: client.url };
  const { status } = await ask(area, "/v1/video/generations", body);
  expect(status).toBe(200);
  await until("its end to be sent", () => states.has("completed"));
  await until("every transition to be sent", () => states.size === 3);
  expect(states).toEqual(new Set(["queued", "in_progress", "completed"]));
  const vendorRequests = await area.simulator.requests(channel);
  expect(vendorRequests.length).toBeGreaterThan(0);
  expect(JSON.stringify(vendorRequests)).not.toContain(client.url);
});

test("a remix has callbacks, and their address is never sent to a vendor", async () => {
  const sent: string[] = [];
  await using client = await startScriptedServer((request) => {
    sent.push(request.body);
    return {};
  });
  const source = await ask(area, "/v1/videos", { model: "film-openai", prompt: "A boat" });
  await ended(area, source.json.id);
  await area.simulator.forget("openai-films");
  const body = { prompt: "At night", callback_url: client.url };
  const { json } = await ask(area, `/v1/videos/${source.json.id}/remix`, body);
  await ended(area, json.id);
  await until("its end to be sent", () => sent.some((event) => event.includes('"completed"')));
  for (const event of sent) expect(JSON.parse(event)).toMatchObject({ taskId: json.id });
  for (const { body: sent } of await area.simulator.requests("openai-films")) expect(sent).not.toContain(client.url);
});

test("a client that disconnects before the vendor's answer finds the task in its list, and is charged once", async () => {
  await area.simulator.forget("openai-films");
  const before = await area.account("demo");
  const prompt = `left alone; ${promptWith({ waitFor: "left-alone" })}`;
  const body = JSON.stringify({ model: "film-openai", prompt, seconds: "8" });
  const client = connect(Number(new URL(area.url).port), "127.0.0.1");
  const head = `host: a\r\nauthorization: Bearer ${keys.demo}\r\ncontent-length: ${body.length}`;
  client.write(`POST /v1/videos HTTP/1.1\r\n${head}\r\ncontent-type: application/json\r\n\r\n${body}`);
  await until("the request to reach the vendor", async () =>
    (await area.simulator.requests("openai-films")).some((sent) => sent.body.includes("left alone")),
  );
  client.end();
  // The service ends its side of the connection when it has noticed the disconnect.
  expect(await text(client)).toBe("");
  await area.simulator.release("left-alone");
  const task = await until("the task", async () =>
    (await ask(area, "/v1/videos")).json.data.find((each: { prompt: string }) => each.prompt === prompt),
  );
  expect((await ended(area, task.id)).status).toBe("completed");
  const { spentNanos } = await area.account("demo");
  expect(spentNanos - before.spentNanos).toBe(800_000_000n);
});

test("an image counts with its copies, and a request that does not fit gets retry-after", async () => {
  const client = new OpenAI({ baseURL: `${area.url}/v1`, apiKey: keys.demo, maxRetries: 0 });
  const create = async (bytes: number) => {
    const file = await toFile(Buffer.alloc(bytes, 1), "boat.png", { type: "image/png" });
    return client.videos.create({ model: "film-openai", prompt: "A boat", input_reference: file });
  };
  await expect(create(1_100_000)).rejects.toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  // The memory of the refused request is released.
  for (let times = 0; times < 5; times++) expect(await create(900_000)).toMatchObject({ status: "queued" });
  const image = Buffer.alloc(700_000, 1).toString("base64");
  for (let times = 0; times < 5; times++) {
    const { status } = await ask(area, "/v1/video/generations", {
      model: "film-kling",
      prompt: "A boat",
      image,
    });
    expect(status).toBe(200);
  }
});

test("an address with a password is refused: it would be stored with the task", async () => {
  const body = { model: "film-openai", prompt: "A boat", callback_url: "https://user:secret@client.example/" };
  const { status, json } = await ask(area, "/v1/videos", body);
  expect([status, json.error]).toMatchObject([400, { code: "invalid_value", param: "callback_url" }]);
  expect(JSON.stringify(json)).not.toContain("secret");
});

test.each([
  ["/epsilon/?Action=CVSync2AsyncSubmitTask&Version=1", { req_key: "absent", prompt: "A boat" }, "req_key"],
  ["/v1/video/generations", { model: "absent", prompt: "A boat" }, "model"],
])("%s names the field of an unknown model as the client sent it", async (path, body, param) => {
  const { status, json } = await ask(area, path, body);
  expect([status, json.error]).toMatchObject([404, { code: "model_not_found", param }]);
});

test("the event stream of a task that is deleted meanwhile ends", async () => {
  const body = { model: "film-openai", prompt: promptWith({ polls: 1_000_000 }) };
  const { json } = await ask(area, "/v1/videos", body);
  const events = await fetch(`${area.url}/v1/videos/${json.id}/events`, {
    headers: { authorization: `Bearer ${keys.demo}` },
  });
  await area.redis.del(accountKeys.task("demo", json.id));
  expect(await events.text()).toContain("event: video.");
});

test("the event stream of a task ends with an error when the gateway ends the call", async () => {
  const body = { model: "film-openai", prompt: promptWith({ polls: 1_000_000 }) };
  const { json } = await ask(area, "/v1/videos", body);
  const socket = connect(Number(new URL(area.url).port), "127.0.0.1");
  const head = `host: a\r\nauthorization: Bearer ${keys.demo}`;
  socket.write(`GET /v1/videos/${json.id}/events HTTP/1.1\r\n${head}\r\n\r\n`);
  await once(socket, "data");
  // The end of the connection would be a client that disconnects.
  socket.write(shutdownRequest);
  let received = "";
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.includes("\r\n0\r\n")) break;
  }
  expect(received).toMatch(/event: error\ndata: \{"type":"error","error":\{[^\n]*"server_overloaded"/);
});
