import { expect, test } from "vitest";
import { runToEnd } from "@modelgate/formats/json";
import { wires as realtimeWires } from "../src/realtime/index.ts";
import { wires } from "../src/text/index.ts";
import { plainDialect, vendorIdsIn, type StoreDialect } from "../src/vendor-stores/index.ts";
import { videoStoreDialect } from "../src/video/index.ts";

const dialects = {
  chat: wires.chat.client.stores,
  responses: wires.responses.client.stores,
  messages: wires.messages.client.stores,
  content: wires.content.client.stores,
  realtime: realtimeWires.realtime.client.stores,
  videos: videoStoreDialect,
  other: plainDialect,
} as const satisfies Readonly<Record<string, StoreDialect>>;
type Wire = keyof typeof dialects;

const user = (content: unknown) => ({ role: "user", content });
const userItem = { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] };
const input = (...items: object[]) => ({ input: items });
const part = (value: object) => ({ messages: [user([{ type: "text", text: "Hi" }, value])] });
const piece = (value: object) => ({ contents: [{ role: "user", parts: [{ text: "Hi" }, value] }] });
const storedFileUrl = "https://generativelanguage.googleapis.com/v1beta/files/abc";

/** Bodies that name an object of the vendor's store, with the path of its name. */
const members: readonly (readonly [wire: Wire, body: object, path: string])[] = [
  ["chat", part({ type: "file", file: { file_id: "file-1" } }), "messages[0].content[1].file.file_id"],
  ["chat", part({ type: "image_url", image_url: { url: storedFileUrl } }), "messages[0].content[1].image_url.url"],
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
  ["responses", input(userItem, { type: "item_reference", id: "msg_x" }), "input[1].id"],
  ["responses", input(userItem, { id: "msg_x" }), "input[1].id"],
  ["responses", input(userItem, { type: "item_reference", id: "msg_x_0" }), "input[1].id"],
  ["responses", input(userItem, { type: "reasoning", id: "rs_x", summary: [] }), "input[1].id"],
  ["responses", input(userItem, { type: "image_generation_call", id: "ig_x" }), "input[1].id"],
  ["responses", input(userItem, { type: "file_search_call", id: "fs_x", queries: [] }), "input[1].id"],
  [
    "responses",
    input({ ...userItem, content: [{ type: "input_file", file_id: "file-1" }] }),
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
  ["responses", { tools: [{ type: "mcp", server_label: "s", tunnel_id: "tunnel_1" }] }, "tools[0].tunnel_id"],
  ["responses", { tools: [{ type: "mcp", server_label: "s", server_url: "https://a.test" }] }, "tools[0].server_url"],
  [
    "responses",
    { prompt: { variables: { doc: { type: "input_file", file_id: "file-1" } } } },
    "prompt.variables.doc.file_id",
  ],
  ["responses", { conversation: "conv_1" }, "conversation"],
  ["responses", input({ type: "item_reference", id: "msg_x" }), "input[0].id"],
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
  ["messages", part({ type: "container_upload", file_id: "file_1" }), "messages[0].content[1].file_id"],
  ["messages", { mcp_servers: [{ type: "url", name: "n", url: "https://a.test" }] }, "mcp_servers"],
  ["content", { cachedContent: "cachedContents/1" }, "cachedContent"],
  ["content", { cached_content: "cachedContents/1" }, "cached_content"],
  ["content", piece({ fileData: { fileUri: storedFileUrl } }), "contents[0].parts[1].fileData.fileUri"],
  ["content", piece({ file_data: { file_uri: "gs://b/o" } }), "contents[0].parts[1].file_data.file_uri"],
  ["content", piece({ fileData: { fileUri: "files/abc" } }), "contents[0].parts[1].fileData.fileUri"],
  [
    "content",
    {
      contents: [
        {
          role: "user",
          parts: [{ functionResponse: { name: "f", response: {}, parts: [{ fileUri: storedFileUrl }] } }],
        },
      ],
    },
    "contents[0].parts[0].functionResponse.parts[0].fileUri",
  ],
  [
    "content",
    { tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/1"] } }] },
    "tools[0].fileSearch.fileSearchStoreNames[0]",
  ],
  ["content", piece({ fileData: { fileUri: storedFileUrl } }), "contents[0].parts[1].fileData.fileUri"],
  [
    "content",
    { generateContentRequest: { contents: [], cachedContent: "cachedContents/1" } },
    "generateContentRequest.cachedContent",
  ],
  ["other", { file_ids: ["file-1"] }, "file_ids[0]"],
  ["other", { file_id: "file-1" }, "file_id"],
  [
    "content",
    { content: { parts: [{ text: "Hi" }, { fileData: { fileUri: storedFileUrl } }] } },
    "content.parts[1].fileData.fileUri",
  ],
  ["content", { requests: [{ cachedContent: "cachedContents/1" }] }, "requests[0].cachedContent"],
  ["other", { file_id: "file-1" }, "file_id"],
  ["other", { vector_store_id: "vs_1" }, "vector_store_id"],
  ["other", { file_ids: ["file-1"] }, "file_ids[0]"],
  ["other", { voice: { id: "voice_1" } }, "voice.id"],
  ["videos", { input_reference: { file_id: "file-1" } }, "input_reference.file_id"],
  ["videos", { characters: [{ id: "char_1" }] }, "characters[0].id"],
  ["videos", { remix_video_id: "video_1" }, "remix_video_id"],
  [
    "realtime",
    { type: "session.update", session: { type: "realtime", prompt: { id: "pmpt_1" } } },
    "session.prompt.id",
  ],
  [
    "realtime",
    {
      type: "session.update",
      session: { type: "realtime", tools: [{ type: "mcp", server_label: "s", server_url: "https://a.test" }] },
    },
    "session.tools[0].server_url",
  ],
  [
    "realtime",
    { type: "session.update", session: { type: "realtime", audio: { output: { voice: { id: "voice_1" } } } } },
    "session.audio.output.voice.id",
  ],
  [
    "realtime",
    { type: "session.update", session: { tools: [{ type: "mcp", server_label: "s", tunnel_id: "tunnel_1" }] } },
    "session.tools[0].tunnel_id",
  ],
  ["realtime", { type: "response.create", response: { prompt: { id: "pmpt_1" } } }, "response.prompt.id"],
  [
    "realtime",
    { type: "response.create", response: { tools: [{ type: "mcp", connector_id: "c_1" }] } },
    "response.tools[0].connector_id",
  ],
  [
    "realtime",
    {
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_image", file_id: "file-1" }] },
    },
    "item.content[0].file_id",
  ],
];

const namedIn = (wire: Wire, body: object) => runToEnd(vendorIdsIn(dialects[wire], body)).map(({ path }) => path);

test.each(members)("%s %j names an object at %s", (wire, body, path) => {
  expect(namedIn(wire, body)[0]).toBe(path);
});

const names = { file_id: "f", container: "c", vector_store_ids: ["v"], cachedContent: "c", voice: { id: "v" } };
const schema = { type: "object", properties: { file_id: { type: "string", const: "x" } }, default: names };
test.each<[Wire, object]>([
  ["chat", { metadata: names, tools: [{ type: "function", function: { name: "f", parameters: schema } }] }],
  ["chat", part({ type: "image_url", image_url: { url: "https://example.com/v1/files/a.png" } })],
  ["chat", { response_format: { type: "json_schema", json_schema: { name: "n", schema } } }],
  ["responses", { metadata: { file_id: "f" }, tools: [{ type: "function", name: "f", parameters: schema }] }],
  ["responses", { tools: [{ type: "code_interpreter", container: { type: "auto" } }], conversation: null }],
  ["responses", input(userItem, { type: "reasoning", id: "rs_x", summary: [], encrypted_content: "e" }, userItem)],
  ["responses", input({ ...userItem, id: "msg_of_another_gateway" })],
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
  ["other", { documents: [{ text: "Hi", file_id: "f" }] }],
  ["other", { voice: "alloy" }],
])("%s %j names nothing", (wire, body) => {
  expect(namedIn(wire, body)).toEqual([]);
});
