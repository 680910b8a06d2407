import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { idsOfAnswer, startStoringVendor, type StoringVendor } from "./storing-vendor.ts";

const keys = {
  one: "sk-store-one-0123456789",
  other: "sk-store-other-0123456789",
  shared: "sk-store-shared-0123456789",
} as const;

/** Models of the vendor, each with the wire that serves it. */
const models = {
  chat: { kind: "chat", provider: "openai", base: "/openai/v1", wires: ["chat"] },
  responses: { kind: "chat", provider: "openai", base: "/openai/v1", wires: ["responses", "compact"] },
  messages: { kind: "chat", provider: "anthropic", base: "/anthropic" },
  content: { kind: "chat", provider: "gemini", base: "/gemini" },
  completions: { kind: "completion", provider: "openai", base: "/openai/v1", wires: ["completions"] },
  embeddings: { kind: "embedding", provider: "openai", base: "/openai/v1" },
  vectors: { kind: "embedding", provider: "gemini", base: "/gemini" },
  moderations: { kind: "moderation", provider: "openai", base: "/openai/v1" },
  rerank: { kind: "rerank", provider: "openai", base: "/openai/v1" },
} as const;

let vendor: StoringVendor;
let area: Area;
beforeAll(async () => {
  vendor = await startStoringVendor();
  area = await startArea(service, {
    config: {
      // These tests do not concern the prices of tools.
      groups: {
        default: { models: ["*"], unpriced: "pass" },
        trusting: { models: ["*"], unpriced: "pass", vendorStores: "shared" },
      },
      models: Object.fromEntries(Object.entries(models).map(([name, { kind }]) => [name, { kind }])),
      channels: Object.entries(models).map(([name, { provider, base, ...more }]) => ({
        id: name,
        provider,
        baseUrl: vendor.url + base,
        keys: [`${name}-first`, `${name}-second`, `${name}-third`],
        models: [name],
        ...("wires" in more ? { wires: more.wires } : {}),
      })),
      accounts: {
        one: { balance: "10.00", tokens: [{ key: keys.one, group: "default" }] },
        other: { balance: "10.00", tokens: [{ key: keys.other, group: "default" }] },
        trusting: { balance: "10.00", tokens: [{ key: keys.shared, group: "trusting" }] },
      },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const paths: Readonly<Record<string, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  compact: "/v1/responses/compact",
  messages: "/v1/messages",
  count: "/v1/messages/count_tokens",
  content: "/v1beta/models/content:generateContent",
  "content-count": "/v1beta/models/content:countTokens",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
  vectors: "/v1beta/models/vectors:embedContent",
  "vectors-batch": "/v1beta/models/vectors:batchEmbedContents",
  moderations: "/v1/moderations",
  rerank: "/v1/rerank",
};

function send(key: string, to: string, body: object | string): Promise<Response> {
  return fetch(area.url + (paths[to] ?? to), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Returns status, parameter and text of a refused request. */
async function refusal(answer: Response): Promise<{ readonly status: number; readonly param: unknown; text: string }> {
  const text = await answer.text();
  const { error = {} }: any = JSON.parse(text);
  const violation = error.details?.flatMap((detail: any) => detail.fieldViolations ?? []).at(0);
  const param = error.param ?? violation?.field ?? /^([\w.[\]]+) (?:names|makes) /.exec(error.message ?? "")?.[1];
  return { status: answer.status, param, text };
}

const user = (content: unknown) => ({ role: "user", content });
const userItem = { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] };

/** Functions that create a valid body for each endpoint, with the members `more`. */
const bodyOf: Readonly<Record<string, (more: object) => object>> = {
  chat: (more) => ({ model: "chat", messages: [user("Hi")], ...more }),
  responses: (more) => ({ model: "responses", input: "Hi", ...more }),
  compact: (more) => ({ model: "responses", input: "Hi", ...more }),
  messages: (more) => ({ model: "messages", max_tokens: 9, messages: [user("Hi")], ...more }),
  count: (more) => ({ model: "messages", messages: [user("Hi")], ...more }),
  content: (more) => ({ contents: [{ role: "user", parts: [{ text: "Hi" }] }], ...more }),
  "content-count": (more) => ({ contents: [{ role: "user", parts: [{ text: "Hi" }] }], ...more }),
  completions: (more) => ({ model: "completions", prompt: "Hi", ...more }),
  embeddings: (more) => ({ model: "embeddings", input: "Hi", ...more }),
  vectors: (more) => ({ content: { parts: [{ text: "Hi" }] }, ...more }),
  "vectors-batch": (more) => ({ requests: [{ content: { parts: [{ text: "Hi" }] }, ...more }] }),
  moderations: (more) => ({ model: "moderations", input: "Hi", ...more }),
  rerank: (more) => ({ model: "rerank", query: "Hi", documents: ["Hi"], ...more }),
};

const input = (...items: object[]) => ({ input: items });
const part = (value: object) => ({ messages: [user([{ type: "text", text: "Hi" }, value])] });
const file = { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc" } };

/** One member per endpoint that names an object. `libs/wires/test/named-in-stores.test.ts` tests all such members. */
const members: readonly (readonly [endpoint: string, more: object, param: string])[] = [
  ["chat", part({ type: "file", file: { file_id: "file-1" } }), "messages[0].content[1].file.file_id"],
  ["responses", { tools: [{ type: "code_interpreter", container: "cntr_x" }] }, "tools[0].container"],
  ["compact", input({ type: "item_reference", id: "msg_x" }), "input[0].id"],
  ["messages", part({ type: "container_upload", file_id: "file_1" }), "messages[0].content[1].file_id"],
  ["count", { mcp_servers: [{ type: "url", name: "n", url: "https://a.test" }] }, "mcp_servers"],
  ["content", { cached_content: "cachedContents/1" }, "cached_content"],
  ["content-count", { contents: [{ role: "user", parts: [file] }] }, "contents[0].parts[0].fileData.fileUri"],
  ["completions", { file_ids: ["file-1"] }, "file_ids[0]"],
  ["embeddings", { file_id: "file-1" }, "file_id"],
  ["vectors", { content: { parts: [{ text: "Hi" }, file] } }, "content.parts[1].fileData.fileUri"],
  ["vectors-batch", { cachedContent: "cachedContents/1" }, "requests[0].cachedContent"],
  ["moderations", { file_id: "file-1" }, "file_id"],
  ["rerank", { vector_store_id: "vs_1" }, "vector_store_id"],
];

describe.each(members)("%s, with %j in the vendor's store", (endpoint, more, param) => {
  test("is refused with its path, and the vendor receives nothing", async () => {
    const before = vendor.storedRequests.length;
    const { status, text, ...refusalOf } = await refusal(
      await send(keys.one, endpoint, bodyOf[endpoint]?.(more) ?? {}),
    );
    expect([status, refusalOf.param, text]).toEqual([400, param, expect.stringContaining("vendorStores: shared")]);
    expect(vendor.storedRequests.slice(before)).toEqual([]);
  });

  test("passes unchanged if the group shares vendors' stores", async () => {
    const body = JSON.stringify(bodyOf[endpoint]?.(more), null, 1);
    const answer = await send(keys.shared, endpoint, body);
    // If the request is refused for another reason, the message does not mention this setting.
    expect(await answer.text()).not.toContain("vendorStores");
    if (["chat", "responses", "compact", "messages", "count", "content", "completions"].includes(endpoint))
      expect([answer.status, vendor.storedRequests.at(-1)?.body]).toEqual([200, body]);
  });

  test("is refused if it appears more than once", async () => {
    // The parsed value has only the second member, which names no object.
    const twice = '{"reference":{"file_id":"file-1"},"reference":{},';
    const body = JSON.stringify(bodyOf[endpoint]?.({})).replace(/^\{/, twice);
    expect(await refusal(await send(keys.one, endpoint, body))).toMatchObject({
      status: 400,
      text: expect.stringContaining("appears more than once"),
    });
  });
});

describe.each([false, true])("an object that the vendor created for an account (stream: %s)", (stream) => {
  /** Returns requests that use the objects which an answer created. */
  type Uses = (ids: ReturnType<typeof idsOfAnswer>) => readonly object[];
  const wires: Readonly<Record<string, { readonly more: object; readonly uses: Uses }>> = {
    chat: {
      more: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } },
      uses: ({ audio }) => [{ messages: [user("Hi"), { role: "assistant", audio: { id: audio } }, user("Go on")] }],
    },
    responses: {
      more: { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
      uses: ({ call, container, file, message, thought }) => [
        { tools: [{ type: "code_interpreter", container }] },
        input({ ...userItem, content: [{ type: "input_file", file_id: file }] }),
        input({ type: "item_reference", id: message }, userItem),
        input({ type: "reasoning", id: thought, summary: [] }, { id: call }, userItem),
        input({ type: "code_interpreter_call", id: call, container_id: container, code: "1" }, userItem),
      ],
    },
    messages: {
      more: { tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
      uses: ({ container, file }) => [
        { container },
        part({ type: "container_upload", file_id: file }),
        part({ type: "document", source: { type: "file", file_id: file } }),
      ],
    },
  };

  test.each(Object.entries(wires))(
    "%s: belongs to the account, and is sent to the key that created it",
    async (wire, { more, uses }) => {
      const body = bodyOf[wire]?.({ ...more, stream });
      const answer = await send(keys.one, wire, body ?? {});
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
      const createdIds = idsOfAnswer(vendor.storedRequests.length);
      const maker = vendor.storedRequests.at(-1)?.key;
      for (const use of uses(createdIds))
        for (let turn = 0; turn < 3; turn++) {
          const sent = JSON.stringify(bodyOf[wire]?.(use));
          const own = await send(keys.one, wire, sent);
          expect([own.status, await own.text()]).toEqual([200, expect.any(String)]);
          expect(vendor.storedRequests.at(-1)).toMatchObject({ key: maker, body: sent });
        }
      const before = vendor.storedRequests.length;
      for (const use of uses(createdIds))
        expect(await refusal(await send(keys.other, wire, bodyOf[wire]?.(use) ?? {}))).toMatchObject({ status: 400 });
      expect(vendor.storedRequests.length).toBe(before);
    },
  );

  test("is not created by naming it: an object of a shared store still belongs to the vendor", async () => {
    const answer = await send(keys.one, "messages", bodyOf["messages"]?.({ ...wires["messages"]?.more, stream }) ?? {});
    await answer.text();
    const { container } = idsOfAnswer(vendor.storedRequests.length);
    const shown = { ...wires["messages"]?.more, container, stream };
    expect((await send(keys.shared, "messages", bodyOf["messages"]?.(shown) ?? {})).status).toBe(200);
    expect(await refusal(await send(keys.other, "messages", bodyOf["messages"]?.({ container }) ?? {}))).toMatchObject({
      status: 400,
      param: "container",
    });
  });

  test("responses that are not stored: their tools' items belong to the account, their messages do not", async () => {
    const body = bodyOf["responses"]?.({ stream, store: false }) ?? {};
    await (await send(keys.one, "responses", body)).text();
    const { call, message } = idsOfAnswer(vendor.storedRequests.length);
    const repeatedCall = input({ type: "code_interpreter_call", id: call, code: "1" }, userItem);
    expect((await send(keys.one, "responses", bodyOf["responses"]?.(repeatedCall) ?? {})).status).toBe(200);
    const reference = input({ type: "item_reference", id: message }, userItem);
    expect(await refusal(await send(keys.one, "responses", bodyOf["responses"]?.(reference) ?? {}))).toMatchObject({
      status: 400,
      param: "input[0].id",
    });
  });
});

describe("an item of a conversation that names a file", () => {
  /** Creates a conversation with a file, and sends a turn of it. */
  async function turnWith(key: string, file: string): Promise<Response> {
    const items = [{ ...userItem, content: [{ type: "input_file", file_id: file }] }];
    const created: any = await (await send(key, "/v1/conversations", { items })).json();
    return await send(key, "responses", { model: "responses", input: "Read it", conversation: created.id });
  }

  test("is sent to the key that created the file, and refused for any other account", async () => {
    await (await send(keys.one, "responses", bodyOf["responses"]?.({}) ?? {})).text();
    const { file } = idsOfAnswer(vendor.storedRequests.length);
    const maker = vendor.storedRequests.at(-1)?.key;
    for (let turn = 0; turn < 3; turn++) {
      const own = await turnWith(keys.one, file);
      expect([own.status, await own.text()]).toEqual([200, expect.any(String)]);
      expect(vendor.storedRequests.at(-1)?.key).toBe(maker);
    }
    const before = vendor.storedRequests.length;
    expect(await refusal(await turnWith(keys.other, file))).toMatchObject({
      status: 400,
      param: "input[0].content[0].file_id",
    });
    expect(vendor.storedRequests.length).toBe(before);
  });
});

test("a request that names objects of several keys is sent to the key of the last one", async () => {
  const made: { key: string | undefined; file: string }[] = [];
  for (const question of ["One", "Two"]) {
    await (await send(keys.one, "responses", { model: "responses", input: question })).text();
    made.push({ key: vendor.storedRequests.at(-1)?.key, file: idsOfAnswer(vendor.storedRequests.length).file });
  }
  expect(made[0]?.key).not.toBe(made[1]?.key);
  for (const files of [made, made.toReversed()]) {
    const content = files.map(({ file }) => ({ type: "input_file", file_id: file }));
    const answer = await send(keys.one, "responses", { model: "responses", ...input({ ...userItem, content }) });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    expect(vendor.storedRequests.at(-1)?.key).toBe(files.at(-1)?.key);
  }
});

describe("the records of the objects that a vendor created", () => {
  test("are not needed to continue an earlier response", async () => {
    const first: any = await (await send(keys.one, "responses", bodyOf["responses"]?.({}) ?? {})).json();
    const redis = new Redis(area.backends.redisUrl);
    const records = await redis.keys("made:*");
    expect(records.length).toBeGreaterThan(0);
    await redis.del(records);
    redis.disconnect();
    const next = await send(keys.one, "responses", {
      model: "responses",
      input: "More",
      previous_response_id: first.id,
    });
    expect([next.status, await next.text()]).toEqual([200, expect.any(String)]);
  });
});
