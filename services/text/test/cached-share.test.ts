import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channel, keys } from "../../../libs/relay/test/config.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

/** A model, its provider, and the wire of its channel, which is also the wire of the client. */
interface Target {
  readonly wire: "chat" | "responses" | "messages" | "content" | "interactions";
  readonly model: string;
  readonly provider: "openai" | "anthropic" | "gemini";
}
const targets: readonly Target[] = [
  { wire: "chat", model: "gpt-5.6-sol", provider: "openai" },
  { wire: "chat", model: "gpt-6.2-sol", provider: "openai" },
  { wire: "responses", model: "gpt-5.6-sol", provider: "openai" },
  { wire: "responses", model: "gpt-6.2-sol", provider: "openai" },
  { wire: "messages", model: "claude-sonnet-4-5", provider: "anthropic" },
  { wire: "messages", model: "claude-opus-5-5", provider: "anthropic" },
  { wire: "content", model: "gemini-3-flash", provider: "gemini" },
  { wire: "interactions", model: "gemini-3.8-flash", provider: "gemini" },
];
const nameOf = ({ wire, model }: Target): string => `${wire}-${model}`;
const baseOf = ({ provider }: Target): string => `/${provider}${provider === "openai" ? "/v1" : ""}`;

let area: Area;
beforeAll(async () => {
  area = await startArea(service, {
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        targets.map((target) => [nameOf(target), { kind: "chat", price: { input: 1, cachedInput: 0.1, output: 1 } }]),
      ),
      channels: targets.map((target) =>
        channel(
          nameOf(target),
          { [nameOf(target)]: target.model },
          {
            provider: target.provider,
            wires: [target.wire],
            baseUrl: `\${SIMULATOR_URL}/at/${nameOf(target)}${baseOf(target)}`,
          },
        ),
      ),
      accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

/** Instructions that differ per conversation but have the same length, so that no prompt of another is cached. */
const systemOf = (name: string): string => `${name.padEnd(48)} You answer in one sentence. `.repeat(80);
const question = (turn: number): string => `Question ${turn}? `.repeat(20);
const answer = (turn: number): string => `Answer ${turn}. `.repeat(10);

const historyOf = (turn: number): readonly (readonly [role: "user" | "assistant", text: string])[] =>
  Array.from({ length: turn }, (_, at) => at + 1).flatMap((at) => [
    ["user", question(at)] as const,
    ...(at < turn ? [["assistant", answer(at)] as const] : []),
  ]);

const messagesOf = (name: string, turn: number) => [
  { role: "system", content: systemOf(name) },
  ...historyOf(turn).map(([role, content]) => ({ role, content })),
];
const mark = { cache_control: { type: "ephemeral" } };

/** Path and body of each client's request in a turn, with the fields by which its programs request caching. */
const clients = {
  chat: (name: string, model: string, turn: number) => [
    "/v1/chat/completions",
    { model, prompt_cache_key: name, messages: messagesOf(name, turn) },
  ],
  responses: (name: string, model: string, turn: number) => [
    "/v1/responses",
    {
      model,
      prompt_cache_key: name,
      store: false,
      input: [
        { role: "developer", content: systemOf(name) },
        ...historyOf(turn).map(([role, text]) => ({
          role,
          content: [{ type: role === "user" ? "input_text" : "output_text", text }],
        })),
      ],
    },
  ],
  messages: (name: string, model: string, turn: number) => [
    "/v1/messages",
    {
      model,
      max_tokens: 99,
      system: [{ type: "text", text: systemOf(name), ...mark }],
      messages: historyOf(turn).map(([role, text], at, all) => ({
        role,
        content: [{ type: "text", text, ...(at === all.length - 1 ? mark : {}) }],
      })),
    },
  ],
  content: (name: string, model: string, turn: number) => [
    `/v1beta/models/${model}:generateContent`,
    {
      systemInstruction: { parts: [{ text: systemOf(name) }] },
      contents: historyOf(turn).map(([role, text]) => ({
        role: role === "user" ? "user" : "model",
        parts: [{ text }],
      })),
    },
  ],
  interactions: (name: string, model: string, turn: number) => [
    "/v1beta/interactions",
    {
      model,
      store: false,
      system_instruction: systemOf(name),
      input: historyOf(turn).map(([role, text]) => ({
        type: role === "user" ? "user_input" : "model_output",
        content: [{ type: "text", text }],
      })),
    },
  ],
  "ollama-chat": (name: string, model: string, turn: number) => [
    "/api/chat",
    { model, stream: false, messages: messagesOf(name, turn) },
  ],
} as const satisfies Readonly<Record<string, (name: string, model: string, turn: number) => readonly [string, object]>>;
type Client = keyof typeof clients;
const names = Object.keys(clients) as readonly Client[];

/** Cached and all input tokens of a call. */
type Share = readonly [cached: number, all: number];
const turns = [1, 2, 3, 4, 5];

/** Reads the share of an answer in the target's wire. */
const shareIn = {
  chat: ({ usage }: any): Share => [usage.prompt_tokens_details.cached_tokens, usage.prompt_tokens],
  responses: ({ usage }: any): Share => [usage.input_tokens_details.cached_tokens, usage.input_tokens],
  messages: ({ usage: { input_tokens: input, cache_read_input_tokens: read, ...usage } }: any): Share => [
    read,
    input + read + usage.cache_creation_input_tokens,
  ],
  content: ({ usageMetadata: usage }: any): Share => [usage.cachedContentTokenCount ?? 0, usage.promptTokenCount],
  interactions: ({ usage }: any): Share => [usage.total_cached_tokens, usage.total_input_tokens],
} as const;

/** Returns the shares of the target's own client, without the gateway. */
async function nativeShares(target: Target): Promise<readonly Share[]> {
  const shares: Share[] = [];
  for (const turn of turns) {
    const [path, body] = clients[target.wire](`native ${nameOf(target)}`, target.model, turn);
    const prefix = target.provider === "openai" ? "/openai" : baseOf(target);
    const response = await fetch(`${area.simulator.url}/at/native${prefix}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer k",
        "x-api-key": "k",
        "x-goog-api-key": "k",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    shares.push(shareIn[target.wire](await response.json()));
  }
  return shares;
}

/** Returns the shares of a client that calls the target through the gateway, by the gateway's usage. */
async function sharesOf(client: Client, target: Target): Promise<readonly Share[]> {
  const ids: (string | null)[] = [];
  for (const turn of turns) {
    const [path, body] = clients[client](`${client} ${nameOf(target)}`, nameOf(target), turn);
    const response = await area.post(path, body, keys.demo, { "anthropic-version": "2023-06-01" });
    const text = await response.text();
    expect({ status: response.status, text: response.ok ? "" : text }).toEqual({ status: 200, text: "" });
    ids.push(response.headers.get("x-request-id"));
  }
  const shares: Share[] = [];
  for (const id of ids) {
    const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = (await area.eventOf(id)).units;
    shares.push([cachedInputTokens, inputTokens + cachedInputTokens + cacheWriteTokens]);
  }
  return shares;
}

describe.each(targets)("the cached share of five turns over $wire of $model", (target) => {
  let native: readonly Share[];
  beforeAll(async () => {
    native = await nativeShares(target);
  });

  test("for the vendor's own client is above zero from the second turn on", () => {
    expect(native.map(([cached]) => cached > 0)).toEqual(turns.map((turn) => turn > 1));
  });

  test.each(names)("for a client of %s equals that of the vendor's own client", async (client) => {
    // Clients that set no cache marks get them from the first turn that continues a conversation.
    const isUnmarked = client === "content" || client === "interactions" || client === "ollama-chat";
    const from = target.wire === "messages" && isUnmarked ? 2 : 0;
    expect((await sharesOf(client, target)).slice(from)).toEqual(native.slice(from));
  });
});
