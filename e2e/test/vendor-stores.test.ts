import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { channel } from "./house.ts";
import { type TestSession, limits, openSession, price } from "./realtime-client.ts";
import { madeAs, startStoringVendor, type StoringVendor } from "./storing-vendor.ts";

const keys = {
  one: "sk-store-one-0123456789",
  other: "sk-store-other-0123456789",
  shared: "sk-store-shared-0123456789",
} as const;

/** Models behind the vendor, each with the wire that it is served through. */
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
  images: { kind: "image", provider: "openai", base: "/openai/v1" },
  speech: { kind: "speech", provider: "openai", base: "/openai/v1" },
  videos: { kind: "video", provider: "openai", base: "/openai/v1" },
  transcripts: { kind: "transcription", provider: "openai", base: "/openai/v1" },
} as const;

let vendor: StoringVendor;
let suite: Suite;
beforeAll(async () => {
  vendor = await startStoringVendor();
  suite = await startSuite({
    config: {
      // What tools cost is not of interest here.
      groups: {
        default: { models: ["*"], unpriced: "pass" },
        trusting: { models: ["*"], unpriced: "pass", vendorStores: "shared" },
      },
      models: {
        ...Object.fromEntries(Object.entries(models).map(([name, { kind }]) => [name, { kind }])),
        live: { kind: "realtime", price },
        "live-gemini": { kind: "realtime", price },
      },
      channels: [
        ...Object.entries(models).map(([name, { provider, base, ...more }]) => ({
          id: name,
          provider,
          baseUrl: vendor.url + base,
          keys: [`${name}-first`, `${name}-second`, `${name}-third`],
          models: [name],
          ...("wires" in more ? { wires: more.wires } : {}),
        })),
        channel("voice", ["live"]),
        channel("voice-gemini", ["live-gemini"], {
          provider: "gemini",
          baseUrl: "${SIMULATOR_URL}/at/voice-gemini/gemini",
        }),
      ],
      accounts: {
        one: { balance: "10.00", tokens: [{ key: keys.one, group: "default" }] },
        other: { balance: "10.00", tokens: [{ key: keys.other, group: "default" }] },
        trusting: { balance: "10.00", tokens: [{ key: keys.shared, group: "trusting" }] },
      },
    },
    limits,
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
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
  images: "/v1/images/generations",
  speech: "/v1/audio/speech",
  videos: "/v1/videos",
};

function send(key: string, to: string, body: object | string): Promise<Response> {
  return fetch(suite.edgeUrl + (paths[to] ?? to), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** What is wrong with a request, in whichever format it is answered. */
async function refusal(answer: Response): Promise<{ readonly status: number; readonly param: unknown; text: string }> {
  const text = await answer.text();
  const { error = {} }: any = JSON.parse(text);
  const violation = error.details?.flatMap((detail: any) => detail.fieldViolations ?? []).at(0);
  const param = error.param ?? violation?.field ?? /^([\w.[\]]+) (?:names|has) /.exec(error.message ?? "")?.[1];
  return { status: answer.status, param, text };
}

const user = (content: unknown) => ({ role: "user", content });
const said = { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] };

/** Bodies that are right but for what is laid over them. */
const asked: Readonly<Record<string, (more: object) => object>> = {
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
  images: (more) => ({ model: "images", prompt: "Hi", ...more }),
  speech: (more) => ({ model: "speech", input: "Hi", voice: "alloy", ...more }),
  videos: (more) => ({ model: "videos", prompt: "Hi", ...more }),
};

const input = (...items: object[]) => ({ input: items });
const part = (value: object) => ({ messages: [user([{ type: "text", text: "Hi" }, value])] });
const piece = (value: object) => ({ contents: [{ role: "user", parts: [{ text: "Hi" }, value] }] });
const stored = "https://generativelanguage.googleapis.com/v1beta/files/abc";

/** Members that name something in a vendor's store: where, what, and the path that is reported. */
const members: readonly (readonly [endpoint: string, more: object, param: string])[] = [
  ["chat", part({ type: "file", file: { file_id: "file-1" } }), "messages[0].content[1].file.file_id"],
  ["chat", part({ type: "image_url", image_url: { url: stored } }), "messages[0].content[1].image_url.url"],
  ["chat", part({ type: "image_url", image_url: { url: "ms://1" } }), "messages[0].content[1].image_url.url"],
  ["chat", { messages: [{ role: "system", content: "fileid://file-1" }, user("Hi")] }, "messages[0].content"],
  ["chat", { messages: [user("Hi"), { role: "assistant", audio: { id: "audio_0" } }] }, "messages[1].audio.id"],
  ["chat", { modalities: ["audio"], audio: { format: "mp3", voice: { id: "voice_1" } } }, "audio.voice.id"],
  ["chat", { extra_body: { google: { cached_content: "cachedContents/1" } } }, "extra_body.google.cached_content"],
  ["chat", { data_sources: [{ type: "azure_search", parameters: {} }] }, "data_sources"],
  ["chat", { previous_response_id: "resp_1" }, "previous_response_id"],
  ["chat", { conversation: "conv_1" }, "conversation"],
  ["chat", { FileIDs: ["file-1"] }, "FileIDs[0]"],
  ["responses", { conversation: "conv_1" }, "conversation"],
  ["responses", { conversation: { id: "conv_1" } }, "conversation.id"],
  ["responses", { prompt: { id: "pmpt_1", version: "1" } }, "prompt.id"],
  ["responses", input(said, { type: "item_reference", id: "msg_x" }), "input[1].id"],
  ["responses", input(said, { id: "msg_x" }), "input[1].id"],
  ["responses", input(said, { type: "item_reference", id: "msg_x_0" }), "input[1].id"],
  ["responses", input(said, { type: "reasoning", id: "rs_x", summary: [] }), "input[1].id"],
  ["responses", input(said, { type: "image_generation_call", id: "ig_x" }), "input[1].id"],
  ["responses", input(said, { type: "file_search_call", id: "fs_x", queries: [] }), "input[1].id"],
  [
    "responses",
    input({ ...said, content: [{ type: "input_file", file_id: "file-1" }] }),
    "input[0].content[0].file_id",
  ],
  [
    "responses",
    input({ type: "function_call_output", call_id: "c", output: [{ type: "input_image", file_id: "file-1" }] }),
    "input[0].output[0].file_id",
  ],
  ["responses", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }, "tools[0].vector_store_ids[0]"],
  ["responses", { tools: [{ type: "code_interpreter", container: "cntr_x" }] }, "tools[0].container"],
  [
    "responses",
    { tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["file-1"] } }] },
    "tools[0].container.file_ids[0]",
  ],
  [
    "responses",
    { tools: [{ type: "image_generation", input_image_mask: { file_id: "file-1" } }] },
    "tools[0].input_image_mask.file_id",
  ],
  ["responses", { tools: [{ type: "mcp", server_label: "s", connector_id: "c_1" }] }, "tools[0].connector_id"],
  ["responses", { tools: [{ type: "mcp", server_label: "s", server_url: "https://a.test" }] }, "tools[0].server_url"],
  [
    "responses",
    { prompt: { variables: { doc: { type: "input_file", file_id: "file-1" } } } },
    "prompt.variables.doc.file_id",
  ],
  ["compact", { conversation: "conv_1" }, "conversation"],
  ["compact", input({ type: "item_reference", id: "msg_x" }), "input[0].id"],
  [
    "messages",
    part({ type: "document", source: { type: "file", file_id: "file_1" } }),
    "messages[0].content[1].source.file_id",
  ],
  ["messages", part({ type: "container_upload", file_id: "file_1" }), "messages[0].content[1].file_id"],
  [
    "messages",
    part({
      type: "tool_result",
      tool_use_id: "t",
      content: [{ type: "image", source: { type: "file", file_id: "f" } }],
    }),
    "messages[0].content[1].content[0].source.file_id",
  ],
  ["messages", { container: "container_1" }, "container"],
  ["messages", { container: { id: "container_1" } }, "container.id"],
  ["messages", { container: { skills: [{ type: "custom", skill_id: "skill_1" }] } }, "container.skills[0].skill_id"],
  ["messages", { mcp_servers: [{ type: "url", name: "n", url: "https://a.test" }] }, "mcp_servers"],
  ["messages", { user_profile_id: "up_1" }, "user_profile_id"],
  ["count", part({ type: "container_upload", file_id: "file_1" }), "messages[0].content[1].file_id"],
  ["count", { mcp_servers: [{ type: "url", name: "n", url: "https://a.test" }] }, "mcp_servers"],
  ["content", { cachedContent: "cachedContents/1" }, "cachedContent"],
  ["content", { cached_content: "cachedContents/1" }, "cached_content"],
  ["content", piece({ fileData: { fileUri: stored } }), "contents[0].parts[1].fileData.fileUri"],
  ["content", piece({ file_data: { file_uri: "gs://b/o" } }), "contents[0].parts[1].file_data.file_uri"],
  ["content", piece({ fileData: { fileUri: "files/abc" } }), "contents[0].parts[1].fileData.fileUri"],
  [
    "content",
    {
      contents: [
        { role: "user", parts: [{ functionResponse: { name: "f", response: {}, parts: [{ fileUri: stored }] } }] },
      ],
    },
    "contents[0].parts[0].functionResponse.parts[0].fileUri",
  ],
  [
    "content",
    { tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } }] },
    "tools[0].fileSearch.fileSearchStoreNames[0]",
  ],
  ["content-count", piece({ fileData: { fileUri: stored } }), "contents[0].parts[1].fileData.fileUri"],
  [
    "content-count",
    { generateContentRequest: { ...asked["content"]?.({}), cachedContent: "cachedContents/1" } },
    "generateContentRequest.cachedContent",
  ],
  ["completions", { file_ids: ["file-1"] }, "file_ids[0]"],
  ["embeddings", { file_id: "file-1" }, "file_id"],
  [
    "vectors",
    { content: { parts: [{ text: "Hi" }, { fileData: { fileUri: stored } }] } },
    "content.parts[1].fileData.fileUri",
  ],
  ["vectors-batch", { cachedContent: "cachedContents/1" }, "requests[0].cachedContent"],
  ["moderations", { file_id: "file-1" }, "file_id"],
  ["rerank", { vector_store_id: "vs_1" }, "vector_store_id"],
  ["images", { file_ids: ["file-1"] }, "file_ids[0]"],
  ["speech", { voice: { id: "voice_1" } }, "voice.id"],
  ["videos", { input_reference: { file_id: "file-1" } }, "input_reference.file_id"],
  ["videos", { characters: [{ id: "char_1" }] }, "characters[0].id"],
  ["videos", { remix_video_id: "video_1" }, "remix_video_id"],
];

describe("a member that names something in the vendor's store", () => {
  test.each(members)("%s %j is refused by its path, and the vendor sees nothing", async (endpoint, more, param) => {
    const before = vendor.seen.length;
    const { status, text, ...refusalOf } = await refusal(await send(keys.one, endpoint, asked[endpoint]?.(more) ?? {}));
    expect([status, refusalOf.param, text]).toEqual([400, param, expect.stringContaining("vendorStores: shared")]);
    expect(vendor.seen.slice(before)).toEqual([]);
  });

  test.each(members)("%s %j passes where the group shares vendors' stores", async (endpoint, more, param) => {
    const before = vendor.seen.length;
    const body = JSON.stringify(asked[endpoint]?.(more), null, 1);
    const answer = await send(keys.shared, endpoint, body);
    const text = await answer.text();
    // What another part of the gateway cannot carry is refused in other words.
    expect(text).not.toContain("vendorStores");
    if (["chat", "responses", "compact", "messages", "count", "content", "completions"].includes(endpoint)) {
      const reference = param.endsWith(".id") && body.includes("msg_x_0");
      expect([answer.status, vendor.seen.at(-1)?.body]).toEqual([200, reference ? expect.any(String) : body]);
    }
    expect(vendor.seen.length).toBeGreaterThanOrEqual(before);
  });

  test.each([
    ["chat", '"file_id":"file-1","file_id":null'],
    ["messages", '"container":"container_1","container":null'],
    ["responses", '"conversation":"conv_1","conversation":null'],
    ["content", '"cachedContent":"c","cachedContent":null'],
    // The parsed value has the second of the two, and nothing of what the first one names.
    ["chat", '"file":{"file_id":"file-1"},"file":{}'],
    ["responses", '"tool":{"vector_store_ids":["vs_1"]},"tool":null'],
    ["messages", '"any":[{"source":{"file_id":"file_1"},"source":{}}]'],
    ["content", '"fileData":{"fileUri":"files/1"},"fileData":{}'],
    ["count", '"source":{"file_id":"file_1"},"source":{}'],
    ["content-count", '"fileData":{"fileUri":"files/1"},"fileData":{}'],
    ["completions", '"file":{"file_id":"file-1"},"file":{}'],
    ["embeddings", '"file":{"file_id":"file-1"},"file":{}'],
    ["moderations", '"image":{"file_id":"file-1"},"image":{}'],
    ["rerank", '"file":{"file_id":"file-1"},"file":{}'],
    ["images", '"reference":{"file_id":"file-1"},"reference":{}'],
    ["speech", '"file":{"file_id":"file-1"},"file":{}'],
    ["videos", '"input_reference":{"file_id":"file-1"},"input_reference":null'],
  ])("%s: one that appears more than once is refused, whichever the vendor would read: %s", async (endpoint, twice) => {
    const body = JSON.stringify(asked[endpoint]?.({})).replace(/^\{/, `{${twice},`);
    expect(await refusal(await send(keys.one, endpoint, body))).toMatchObject({
      status: 400,
      text: expect.stringContaining("appears more than once"),
    });
  });
});

describe("a form that names something in the vendor's store", () => {
  const picture = new Blob([Buffer.from("iVBORw0KGgo=", "base64")], { type: "image/png" });
  test.each<[path: string, fields: Readonly<Record<string, string | Blob>>, param: string]>([
    [
      "/v1/images/edits",
      { model: "images", prompt: "Hi", image: picture, "reference[file_id]": "f" },
      "reference.file_id",
    ],
    ["/v1/audio/transcriptions", { model: "transcripts", "file_ids[]": "f", file: picture }, "file_ids"],
    ["/v1/audio/transcriptions", { model: "transcripts", file: picture, file_id: "f" }, "file_id"],
    ["/v1/videos", { model: "videos", prompt: "Hi", "input_reference[file_id]": "f" }, "input_reference.file_id"],
    ["/v1/videos", { model: "videos", prompt: "Hi", metadata: '{"video_id":"v"}' }, "metadata.video_id"],
  ])("%s %j", async (path, fields, param) => {
    const before = vendor.seen.length;
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const headers = { authorization: `Bearer ${keys.one}` };
    const answer = await fetch(suite.edgeUrl + path, { method: "POST", headers, body });
    expect(await refusal(answer)).toMatchObject({ status: 400, param });
    expect(vendor.seen.slice(before).filter(({ body: sent }) => sent.includes("file_id"))).toEqual([]);
  });
});

describe("what names nothing in a store passes by default", () => {
  const names = { file_id: "f", container: "c", vector_store_ids: ["v"], cachedContent: "c", voice: { id: "v" } };
  const schema = { type: "object", properties: { file_id: { type: "string", const: "x" } }, default: names };
  test.each<[endpoint: string, more: object]>([
    ["chat", { metadata: names, tools: [{ type: "function", function: { name: "f", parameters: schema } }] }],
    ["chat", part({ type: "image_url", image_url: { url: "https://example.com/v1/files/a.png" } })],
    ["chat", { response_format: { type: "json_schema", json_schema: { name: "n", schema } } }],
    ["responses", { metadata: { file_id: "f" }, tools: [{ type: "function", name: "f", parameters: schema }] }],
    ["responses", { tools: [{ type: "code_interpreter", container: { type: "auto" } }], conversation: null }],
    ["responses", input(said, { type: "reasoning", id: "rs_x", summary: [], encrypted_content: "e" }, said)],
    ["responses", input({ ...said, id: "msg_of_another_gateway" })],
    ["messages", { tools: [{ name: "f", input_schema: schema }], container: null, mcp_servers: [] }],
    [
      "messages",
      {
        messages: [
          user("Hi"),
          { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: names }] },
          user([{ type: "tool_result", tool_use_id: "t", content: "ok" }]),
        ],
      },
    ],
    ["messages", { container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } }],
    ["content", piece({ fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } })],
    ["content", piece({ fileData: { fileUri: "https://storage.googleapis.com/b/files/a.jpg" } })],
    ["content", piece({ functionCall: { name: "f", args: names } })],
    ["rerank", { documents: [{ text: "Hi", file_id: "f" }] }],
    ["speech", { voice: "alloy" }],
  ])("%s %j", async (endpoint, more) => {
    const answer = await send(keys.one, endpoint, asked[endpoint]?.(more) ?? {});
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  });
});

describe.each([false, true])("what the vendor made for an account (stream: %s)", (stream) => {
  /** Uses of what an answer made, for each wire that names it. */
  type Uses = (made: ReturnType<typeof madeAs>) => readonly object[];
  const wires: Readonly<Record<string, { readonly more: object; readonly uses: Uses }>> = {
    chat: {
      more: { modalities: ["text", "audio"], audio: { voice: "alloy", format: "mp3" } },
      uses: ({ audio }) => [{ messages: [user("Hi"), { role: "assistant", audio: { id: audio } }, user("Go on")] }],
    },
    responses: {
      more: { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
      uses: ({ call, container, file, message, thought }) => [
        { tools: [{ type: "code_interpreter", container }] },
        input({ ...said, content: [{ type: "input_file", file_id: file }] }),
        input({ type: "item_reference", id: message }, said),
        input({ type: "reasoning", id: thought, summary: [] }, { id: call }, said),
        input({ type: "code_interpreter_call", id: call, container_id: container, code: "1" }, said),
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

  test.each(Object.entries(wires))("%s: is its own, and goes to the key that made it", async (wire, { more, uses }) => {
    const body = asked[wire]?.({ ...more, stream });
    const answer = await send(keys.one, wire, body ?? {});
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    const made = madeAs(vendor.seen.length);
    const maker = vendor.seen.at(-1)?.key;
    for (const use of uses(made))
      for (let turn = 0; turn < 3; turn++) {
        const sent = JSON.stringify(asked[wire]?.(use));
        const own = await send(keys.one, wire, sent);
        expect([own.status, await own.text()]).toEqual([200, expect.any(String)]);
        expect(vendor.seen.at(-1)).toMatchObject({ key: maker, body: sent });
      }
    const before = vendor.seen.length;
    for (const use of uses(made))
      expect(await refusal(await send(keys.other, wire, asked[wire]?.(use) ?? {}))).toMatchObject({ status: 400 });
    expect(vendor.seen.length).toBe(before);
  });

  test("is not made by naming it: what a shared store showed stays the vendor's", async () => {
    const answer = await send(keys.one, "messages", asked["messages"]?.({ ...wires["messages"]?.more, stream }) ?? {});
    await answer.text();
    const { container } = madeAs(vendor.seen.length);
    const shown = { ...wires["messages"]?.more, container, stream };
    expect((await send(keys.shared, "messages", asked["messages"]?.(shown) ?? {})).status).toBe(200);
    expect(await refusal(await send(keys.other, "messages", asked["messages"]?.({ container }) ?? {}))).toMatchObject({
      status: 400,
      param: "container",
    });
  });

  test("responses that are not stored: their tools' items are, their messages are not", async () => {
    const body = asked["responses"]?.({ stream, store: false }) ?? {};
    await (await send(keys.one, "responses", body)).text();
    const { call, message } = madeAs(vendor.seen.length);
    const again = input({ type: "code_interpreter_call", id: call, code: "1" }, said);
    expect((await send(keys.one, "responses", asked["responses"]?.(again) ?? {})).status).toBe(200);
    const reference = input({ type: "item_reference", id: message }, said);
    expect(await refusal(await send(keys.one, "responses", asked["responses"]?.(reference) ?? {}))).toMatchObject({
      status: 400,
      param: "input[0].id",
    });
  });
});

const events: readonly (readonly [event: object, param: string])[] = [
  [{ type: "session.update", session: { type: "realtime", prompt: { id: "pmpt_1" } } }, "session.prompt.id"],
  [
    {
      type: "session.update",
      session: { type: "realtime", tools: [{ type: "mcp", server_label: "s", server_url: "https://a.test" }] },
    },
    "session.tools[0].server_url",
  ],
  [
    { type: "session.update", session: { type: "realtime", audio: { output: { voice: { id: "voice_1" } } } } },
    "session.audio.output.voice.id",
  ],
  [{ type: "response.create", response: { prompt: { id: "pmpt_1" } } }, "response.prompt.id"],
  [
    { type: "response.create", response: { tools: [{ type: "mcp", connector_id: "c_1" }] } },
    "response.tools[0].connector_id",
  ],
  [
    {
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_image", file_id: "file-1" }] },
    },
    "item.content[0].file_id",
  ],
];

async function opened(model: string, key: string): Promise<TestSession> {
  const session = await openSession(suite, { model, key });
  await session.next("session.created");
  return session;
}

describe.each(["live", "live-gemini"])("a session with %s", (model) => {
  test.each(events)("refuses %j and goes on", async (event, param) => {
    const session = await opened(model, keys.one);
    session.send({ ...event, event_id: "mine" });
    expect((await session.next("error")).error).toMatchObject({
      param,
      message: expect.stringContaining("vendorStores: shared"),
    });
    session.send({ type: "input_audio_buffer.clear" });
    await session.next("input_audio_buffer.cleared");
    session.socket.close();
  });
});

test("a session passes them where the group shares vendors' stores", async () => {
  await suite.simulator.forget("voice");
  const session = await opened("live", keys.shared);
  const sent = events.map(([event]) => JSON.stringify(event));
  for (const event of sent) session.send(event);
  session.send({ type: "input_audio_buffer.clear" });
  await session.next("input_audio_buffer.cleared");
  session.socket.close();
  const [seen] = await until("the vendor to have seen it", async () => {
    const requests = await suite.simulator.requests("voice");
    return requests[0]?.closeCode !== undefined && requests;
  });
  expect(seen?.messages?.slice(0, sent.length)).toEqual(sent);
});

test("a session refuses an event with a member twice, the first of which names something", async () => {
  const session = await opened("live", keys.one);
  session.socket.send('{"type":"response.create","response":{"prompt":{"id":"pmpt_1"},"prompt":null}}');
  expect((await session.next("error")).error).toMatchObject({
    message: expect.stringContaining("appears more than once"),
  });
  session.socket.close();
});

test("a session refuses an event in a binary message, which some vendors read too", async () => {
  const session = await opened("live", keys.one);
  session.socket.send(Buffer.from(JSON.stringify(events[0]?.[0])));
  expect((await session.next("error")).error.message).toContain("vendorStores: shared");
  session.socket.close();
});
