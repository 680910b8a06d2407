import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channel, keys } from "../../../libs/relay/test/config.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

/** The simulator refuses what Anthropic's API version, tools and thinking rules refuse, in the vendor's words. */
let area: Area;
const models = ["claude-sonnet-4-5", "claude-opus-5-5"];
const droppingKey = "sk-drops-0123456789abcdef";
const onBedrock = "anthropic.claude-sonnet-4-6";
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"], unpriced: "pass" }, drops: { models: ["*"] } },
      models: Object.fromEntries(
        [...models, onBedrock].map((name) => [name, { kind: "chat", price: { request: 0.001 } }]),
      ),
      channels: [
        channel("claude", models, { provider: "anthropic", baseUrl: "${SIMULATOR_URL}/at/claude/anthropic" }),
        channel("bedrock", [onBedrock], {
          provider: "bedrock",
          baseUrl: "${SIMULATOR_URL}/at/bedrock/bedrock",
          wires: ["messages"],
        }),
      ],
      accounts: {
        demo: {
          balance: "10.00",
          tokens: [
            { key: keys.demo, group: "default" },
            { key: droppingKey, group: "drops" },
          ],
        },
      },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

async function post(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
  key: string = keys.demo,
) {
  const answer = await area.post(path, body, key, headers);
  return {
    status: answer.status,
    dropped: answer.headers.get("x-modelgate-dropped"),
    body: (await answer.json()) as any,
  };
}

const messages = [{ role: "user", content: "Hi" }];
const sonnet = { model: "claude-sonnet-4-5", max_tokens: 500, messages };
const [oldVersion, newVersion] = ["2023-06-01", "2026-10-21"].map((version) => ({ "anthropic-version": version }));

describe("API versions", () => {
  test("a client's version reaches the vendor, with its refusals", async () => {
    const body = { ...sonnet, temperature: 0.2 };
    expect((await post("/v1/messages", body, oldVersion)).status).toBe(200);
    expect((await post("/v1/messages", sonnet, newVersion)).status).toBe(200);
    expect(await post("/v1/messages", body, newVersion)).toMatchObject({
      status: 400,
      body: { error: { type: "invalid_request_error", message: "temperature: Extra inputs are not permitted" } },
    });
  });

  test("requests of other wires use a version that accepts their settings", async () => {
    const body = { model: "claude-sonnet-4-5", messages, temperature: 0.2 };
    expect(await post("/v1/chat/completions", body)).toMatchObject({ status: 200, dropped: null });
  });
});

test("a messages client fills a cache with max_tokens: 0", async () => {
  const body = { ...sonnet, max_tokens: 0 };
  const answer = await post("/v1/messages", body, oldVersion);
  expect(answer).toMatchObject({ status: 200, body: { content: [], usage: { output_tokens: 0 } } });
  expect(await post("/v1/messages", { ...body, max_tokens: -1 }, oldVersion)).toMatchObject({ status: 400 });
});

describe("versions of server tools", () => {
  const search = { type: "web_search" };
  test("the search that other wires get is one that the vendor has", async () => {
    const body = { model: "claude-sonnet-4-5", input: "Hi", tools: [search] };
    expect((await post("/v1/responses", body)).status).toBe(200);
    const sent = (await area.simulator.requests("claude")).at(-1)?.body ?? "";
    expect(JSON.parse(sent).tools).toEqual([{ type: "web_search_20250305", name: "web_search" }]);
  });

  test("an unknown version is refused in the vendor's words", async () => {
    const tools = [{ type: "web_search_20990101", name: "web_search" }];
    expect(await post("/v1/messages", { ...sonnet, tools }, newVersion)).toMatchObject({
      status: 400,
      body: {
        error: { message: expect.stringMatching(/^tools\.0: Input tag 'web_search_20990101' found using 'type'/) },
      },
    });
  });

  test("Bedrock runs no tools: another client's search is left out and named, unless it is forced", async () => {
    const body = { model: onBedrock, input: "Hi", tools: [search] };
    expect(await post("/v1/responses", body)).toMatchObject({ status: 200, dropped: "tools.web-search" });
    const forced = { ...body, tool_choice: search };
    expect(await post("/v1/responses", forced)).toMatchObject({
      status: 400,
      body: { error: { param: expect.stringContaining("tools") } },
    });
  });
});

test("tools without a price, and tools that Bedrock lacks, are named by their places in the client's list", async () => {
  const tools = [
    { type: "code_execution_20250825", name: "code_execution" },
    { name: "look", input_schema: { type: "object" } },
    { type: "web_fetch_20250910", name: "web_fetch" },
  ];
  const answer = await post("/v1/messages", { ...sonnet, model: onBedrock, tools }, oldVersion, droppingKey);
  expect(answer).toMatchObject({ status: 200, dropped: "tools[0], tools[2]" });
});

describe("reasoning that is bound to its conversation", () => {
  const beta = { "anthropic-version": "2026-10-21", "anthropic-beta": "thinking-binding-controls-2026-08-01" };
  const thinking = { type: "adaptive", display: "summarized" };
  /** The second turn of a conversation whose system prompt has changed since the first. */
  async function changedTurn(): Promise<object> {
    const opus = { model: "claude-opus-5-5", max_tokens: 500, thinking };
    const first = await post("/v1/messages", { ...opus, system: "Be brief.", messages }, beta);
    expect(first.body.content).toMatchObject([{ type: "thinking" }, { type: "text" }]);
    expect(first.body.input_transformations).toEqual([]);
    const history = [...messages, { role: "assistant", content: first.body.content }, ...messages];
    expect((await post("/v1/messages", { ...opus, system: "Be brief.", messages: history }, beta)).status).toBe(200);
    return { ...opus, system: "Be kind.", messages: history };
  }
  const withBinding = (behaviour: string) => ({
    thinking: { ...thinking, block_binding: { prefix_mismatch_behavior: behaviour } },
  });

  test("without a setting, the call is repeated without the reasoning, which is named", async () => {
    const again = await post("/v1/messages", await changedTurn(), { "anthropic-version": "2026-10-21" });
    expect(again).toMatchObject({ status: 200, dropped: expect.stringContaining("reasoning") });
  });

  test("drop_block and its report pass", async () => {
    const dropped = await post("/v1/messages", { ...(await changedTurn()), ...withBinding("drop_block") }, beta);
    expect(dropped).toMatchObject({
      status: 200,
      dropped: null,
      body: {
        input_transformations: [
          { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
        ],
      },
    });
  });

  test("a client that wants an error gets the vendor's", async () => {
    expect(await post("/v1/messages", { ...(await changedTurn()), ...withBinding("error") }, beta)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("The block is bound to a different conversation.") } },
    });
  });
});
