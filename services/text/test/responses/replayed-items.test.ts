import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedServer, textAnswers, textUsage, type ScriptedServer } from "@modelgate/testkit";
import { startArea, type Area } from "../../../../libs/relay/test/area.ts";
import { service } from "../../src/service.ts";

const key = "sk-replayed-0123456789";

/** Server that accepts readable reasoning (`reasoning_text`). Like vLLM, it refuses a reasoning item without an id. */
let vendor: ScriptedServer;
let area: Area;
beforeAll(async () => {
  let answers = 0;
  vendor = await startScriptedServer(({ path, body }) => {
    if (path.endsWith("/chat/completions"))
      return { body: textAnswers.chat({ text: "Hi", usage: textUsage.chat(3, 3) }).whole };
    const { input }: { readonly input: readonly { readonly type?: string; readonly id?: string }[] } = JSON.parse(body);
    const at = input.findIndex(({ type, id }) => type === "reasoning" && id === undefined);
    // A stored response is not replaced at once, so each answer has another id.
    const more = { id: `resp_${++answers}` };
    if (at < 0) return { body: textAnswers.responses({ text: "Hi", usage: textUsage.responses(3, 3), more }).whole };
    return { status: 422, body: { detail: [{ loc: ["body", "input", at, "id"], msg: "Field required" }] } };
  });
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(["gpt-5.2", "open", "chats"].map((name) => [name, { kind: "chat" }])),
      channels: [
        { id: "openai", provider: "openai", baseUrl: "${SIMULATOR_URL}/openai/v1", keys: ["k"], models: ["gpt-5.2"] },
        {
          id: "open",
          provider: "openai",
          baseUrl: `${vendor.url}/v1`,
          keys: ["k"],
          models: ["open"],
          wires: ["responses"],
        },
        {
          id: "chats",
          provider: "openai",
          baseUrl: `${vendor.url}/v1`,
          keys: ["k"],
          models: ["chats"],
          wires: ["chat"],
        },
      ],
      accounts: { one: { balance: "10.00", tokens: [{ key, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

const text = "The tool knows.";
/** History that pydantic-ai sends after a turn with DeepSeek, vLLM or LM Studio. */
const history = [
  { role: "user", content: "Weather?" },
  {
    type: "reasoning",
    id: "rs_3f0a",
    summary: [],
    content: [{ type: "reasoning_text", text }],
    encrypted_content: null,
  },
  {
    type: "message",
    id: "chatcmpl-7",
    role: "assistant",
    content: [{ type: "output_text", text: "So.", annotations: [] }],
  },
  { type: "function_call", id: "item_8", call_id: "call_1", name: "weather", arguments: "{}" },
  { type: "function_call_output", call_id: "call_1", output: "rain" },
];
const tools = [{ type: "function", name: "weather", parameters: { type: "object", properties: {} }, strict: false }];

const send = (model: string, input: readonly object[]) =>
  area.post("/v1/responses", { model, input, tools, store: false }, key);

test("a history of another vendor is sent to OpenAI, which looks up ids, without its ids and reasoning", async () => {
  const answer = await send("gpt-5.2", history);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"completed"')]);
  expect(answer.headers.get("x-modelgate-dropped")).toBe("turn.reasoning");
});

test("it is sent to a server that reads reasoning with the reasoning, under an id that names nothing there", async () => {
  const answer = await send("open", history);
  expect([answer.status, answer.headers.get("x-modelgate-dropped")]).toEqual([200, null]);
  const { input } = JSON.parse(vendor.requests.at(-1)?.body ?? "{}");
  expect(input).toEqual(history.map((item) => (item.type === "reasoning" ? { ...item, id: input[1].id } : item)));
  expect(input[1].id).not.toBe("rs_3f0a");
});

test("it is sent to a chat vendor, with the reasoning that led to the call", async () => {
  const answer = await send("chats", history);
  expect([answer.status, answer.headers.get("x-modelgate-dropped")]).toEqual([200, null]);
  const { messages } = JSON.parse(vendor.requests.at(-1)?.body ?? "{}");
  expect(messages[1]).toMatchObject({ role: "assistant", content: "So.", reasoning_content: text });
});

test("reasoning that is referred to only by its id is refused", async () => {
  const answer = await send("open", [{ type: "reasoning", id: "rs_3f0a", summary: [], encrypted_content: null }]);
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { code: "unsupported_parameter", param: "input[0].id" } },
  ]);
});

test("a stored answer with readable reasoning is continued with it on another model", async () => {
  const reasoningItem = { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text }] };
  const first = await area.post(
    "/v1/responses",
    { model: "open", input: [...history, reasoningItem, { role: "user", content: "And?" }] },
    key,
  );
  const { id } = (await first.json()) as { readonly id: string };
  const answer = await area.post("/v1/responses", { model: "chats", previous_response_id: id, input: "Go on" }, key);
  expect(answer.status).toBe(200);
  const { messages } = JSON.parse(vendor.requests.at(-1)?.body ?? "{}");
  expect(messages[1]).toMatchObject({ reasoning_content: text });
});

test("an answer of a server that does not say that it stores it is continued with all earlier turns", async () => {
  const ask = (question: string, more: object = {}) =>
    area.post("/v1/responses", { model: "open", input: [{ role: "user", content: question }], ...more }, key);
  const { id } = (await (await ask("My name is Ada.")).json()) as { readonly id: string };
  expect((await ask("Who am I?", { previous_response_id: id })).status).toBe(200);
  const { input, previous_response_id } = JSON.parse(vendor.requests.at(-1)?.body ?? "{}");
  expect(previous_response_id).toBeNull();
  expect(JSON.stringify(input)).toMatch(/My name is Ada.*Hi.*Who am I/);
});
