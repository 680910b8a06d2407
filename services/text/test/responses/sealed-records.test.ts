import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { anthropicAt, keyOf, openaiAt, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";

/** Texts of clients that the gateway stores in Redis are encrypted with the deployment's secret. */
let area: Area;
let redis: Redis;
beforeAll(async () => {
  area = await startText({ accounts: ["other"] });
  redis = new Redis(area.backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await area?.[Symbol.asyncDispose]();
});
forbidWarnings();

const model = "messages";
const clientText = "canary of what was said";
const of = (account = "demo") => openaiAt(area.url, keyOf(account));
const untilStored = (id: string) =>
  until(`${id} to be over`, async () => {
    const response = await of()
      .responses.retrieve(id)
      .catch(() => undefined);
    return response?.status === "completed" && response;
  });
const keysOf = (kind: string, id = "*"): Promise<string[]> => redis.keys(`${kind}:*:${id}`);

/** Returns all values that Redis stores under a key. */
async function valuesOf(key: string): Promise<readonly Buffer[]> {
  const type = await redis.type(key);
  if (type === "string") return [(await redis.getBuffer(key)) ?? Buffer.alloc(0)];
  if (type === "list") return await redis.lrangeBuffer(key, 0, -1);
  if (type === "hash") return Object.values(await redis.hgetallBuffer(key));
  return [Buffer.from(JSON.stringify(type === "zset" ? await redis.zrange(key, "0", "-1") : ""))];
}

/** Returns the texts in a value for every encoding that the gateway uses. */
function readingsOf(value: Buffer): readonly string[] {
  const spelled = [value, Buffer.from(value.toString(), "base64")];
  return spelled.flatMap((bytes) => {
    try {
      return [bytes.toString(), zstdDecompressSync(bytes).toString()];
    } catch {
      return [bytes.toString()];
    }
  });
}

test("responses, background responses, conversations and threads are encrypted in Redis", async () => {
  const { id } = await of().conversations.create({ metadata: { topic: clientText }, items: [] });
  const whole = await of().responses.create({ model, input: clientText, conversation: id });
  const { id: later } = await of().responses.create({ model, input: clientText, background: true });
  const threads = anthropicAt(area.url, keyOf("demo")).beta.messages;
  await threads.thread({ model, max_tokens: 2_000 }).send({ role: "user", content: clientText });
  await Promise.all([untilStored(whole.id), untilStored(later)]);
  expect((await of().conversations.retrieve(id)).metadata).toEqual({ topic: clientText });
  await until("the turn to be kept", async () => (await of().conversations.items.list(id)).data.length === 2);
  for (const kind of ["response", "background-events", "conversation", "conversation-items", "thread"])
    expect(await until(`a ${kind}`, async () => (await keysOf(kind)).length > 0), kind).toBe(true);
  for (const key of await redis.keys("*"))
    for (const value of await valuesOf(key))
      for (const reading of readingsOf(value)) expect(reading, key).not.toContain(clientText);
});

test("a record belongs to its key: it cannot be read under another account's key", async () => {
  const { id } = await of().responses.create({ model, input: clientText });
  await untilStored(id);
  const [key = ""] = await keysOf("response", id);
  const theirs = await of("other").responses.create({ model, input: "Mine." });
  const [other = ""] = await until("the other's to be kept", async () => {
    const keys = await keysOf("response", theirs.id);
    return keys.length > 0 && keys;
  });
  const record = await redis.getBuffer(key);
  await redis.set(other, record ?? "");
  await expect(of("other").responses.retrieve(theirs.id)).rejects.toMatchObject({ status: 404 });
});

test("a turn is refused, and not sent without an item that cannot be decrypted", async () => {
  const items = ["A", "B"].map((content) => ({ type: "message" as const, role: "user" as const, content }));
  const { id } = await of().conversations.create({ items });
  const [list = ""] = await keysOf("conversation-items", id);
  await redis.lset(list, 0, Buffer.from("mgr of a secret that was removed").toString("base64"));
  const { length: sent } = await area.simulator.requests(model);
  await expect(of().responses.create({ model, input: "C", conversation: id })).rejects.toMatchObject({
    status: 404,
    code: "conversation_not_found",
  });
  expect(await area.simulator.requests(model)).toHaveLength(sent);
});

test("records of earlier versions, which are not encrypted, are read and continued", async () => {
  const { id: item } = await of().conversations.create({ items: [{ type: "message", role: "user", content: "A" }] });
  const [list = ""] = await keysOf("conversation-items", item);
  const pack = (value: object): Buffer => zstdCompressSync(JSON.stringify(value));
  const message = { type: "message", role: "user", content: [{ type: "input_text", text: "I live in Oslo." }] };
  await redis.rpush(list, pack({ ...message, id: "msg_old" }).toString("base64"));
  const head = list.replace("conversation-items:", "conversation:");
  await redis.hset(head, { metadata: JSON.stringify({ topic: "boats" }) });
  expect((await of().conversations.retrieve(item)).metadata).toEqual({ topic: "boats" });
  const items = await of().conversations.items.list(item, { order: "asc" });
  expect(items.data).toMatchObject([{ content: [{ text: "A" }] }, { id: "msg_old" }]);

  const response = { id: "resp_old", object: "response", status: "completed", model, output: [] };
  const key = list.replace("conversation-items:", "response:").replace(item, response.id);
  await redis.set(key, pack({ response, input: [message], ancestors: [] }));
  expect(await of().responses.retrieve(response.id)).toMatchObject(response);
  await of().responses.create({ model, input: "Where do I live?", previous_response_id: response.id });
  expect((await area.simulator.requests(model)).at(-1)?.body).toContain("I live in Oslo.");
});
