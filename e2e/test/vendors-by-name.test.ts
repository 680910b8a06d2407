import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compilePrice, costOf, type UsageEvent } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { startRecordedVendors, type RecordedVendors } from "./vendors/recorded-vendors.ts";
import type { Recording } from "./vendors/recording.ts";

/** Every vendor that is a row of the table answers here as it really does, and is billed to the token. */
const key = "sk-vendors-0123456789abcdef";
const price = { input: 1, cachedInput: 0.1, output: 10 };

const folder = join(import.meta.dirname, "vendors");
const named = readdirSync(folder)
  .map((file) => file.replace(/\.ts$/, ""))
  .filter((name) => Object.hasOwn(providers, name));
const recordings: ReadonlyMap<string, Recording> = new Map(
  await Promise.all(
    named.map(async (name): Promise<[string, Recording]> => {
      const { recording }: { readonly recording: Recording } = await import(`./vendors/${name}.ts`);
      return [name, recording];
    }),
  ),
);

/** Those whose answers in the messages wire are recorded as well. */
const inMessages = [...recordings].flatMap(([name, { model, messages }]) =>
  messages === undefined ? [] : [[name, { model, messages }] as const],
);
/** The path of a base URL: the messages wire may be beside the last steps of it. */
const pathOf = (baseUrl = ""): string => new URL(baseUrl.replace(/^\$\{\w+\}/, "http://own.example")).pathname;

let vendors: RecordedVendors;
let suite: Suite;
beforeAll(async () => {
  vendors = await startRecordedVendors(recordings);
  suite = await startSuite({
    shape: "apart",
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        [...named, ...inMessages.map(([name]) => `${name}-messages`)].map((name) => [name, { kind: "chat", price }]),
      ),
      channels: [
        ...[...recordings].map(([name, { model }]) => ({
          id: name,
          provider: name,
          baseUrl: `${vendors.url}/${name}/v1`,
          keys: ["key"],
          models: { [name]: model },
          wires: ["chat"],
        })),
        ...inMessages.map(([name, { model }]) => ({
          id: `${name}-messages`,
          provider: name,
          baseUrl: `${vendors.url}/${name}${pathOf(providers[name]?.baseUrl)}`,
          keys: ["key"],
          models: { [`${name}-messages`]: model },
          wires: ["messages"],
        })),
      ],
      accounts: { demo: { balance: "100.00", tokens: [{ key, group: "default" }] } },
    },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await vendors?.[Symbol.asyncDispose]();
});

async function ask(path: string, body: object) {
  const answer = await fetch(`${suite.edgeUrl}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, "anthropic-version": "2023-06-01" },
    body: JSON.stringify(body),
  });
  const requestId = answer.headers.get("x-request-id") ?? "";
  return { status: answer.status, text: await answer.text(), headers: answer.headers, requestId };
}

async function eventOf(requestId: string): Promise<UsageEvent> {
  return await until("the usage event", async () => {
    const found = (await storedEvents(suite.backends.natsUrl)).find(({ event }) => event.requestId === requestId);
    return found?.event;
  });
}

const messages = [{ role: "user", content: "Hello?" }];
const wordsOf = { chat: chatWords, messages: messagesWords } as const;

test("every row of the table has a recording", () => {
  const rows = Object.values(providers).filter(({ dialect, name }) => dialect !== undefined || named.includes(name));
  expect(rows.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
});

describe.each([...recordings])("%s", (name, recording) => {
  test.each([
    ["chat", false],
    ["chat", true],
    ["messages", false],
    ["messages", true],
  ] as const)("answers a client of %s, streamed: %s, and is billed to the token", async (wire, stream) => {
    const path = wire === "chat" ? "/v1/chat/completions" : "/v1/messages";
    const { status, text, requestId } = await ask(path, { model: name, max_tokens: 2_000, stream, messages });
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(wordsOf[wire](text, stream)).toBe(recording.says);
    const units = stream ? recording.streamUnits : recording.units;
    const event = await eventOf(requestId);
    expect(event.units).toEqual(units);
    expect(event).toMatchObject({ estimated: false, costNanos: String(costOf(units, compilePrice(price), 1)) });
  });

  test("is sent nothing that it refuses, and the client is named what was left out", async () => {
    const { dialect = {} } = providers[name] ?? {};
    const refused = dialect.refuses ?? [];
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
    const { status, headers, text } = await ask("/v1/chat/completions", {
      model: name,
      max_completion_tokens: 50,
      stream: true,
      messages: [{ role: "developer", content: "Be brief." }, ...messages],
      tools,
      tool_choice: "required",
      parallel_tool_calls: false,
      seed: 7,
      logit_bias: { "1": 1 },
      frequency_penalty: 0.5,
    });
    expect([status, text]).toEqual([200, expect.any(String)]);
    const sent = vendors.sent.get(name) ?? {};
    expect(Object.keys(sent)).not.toEqual(expect.arrayContaining([expect.toSatisfy((word) => refused.includes(word))]));
    expect(sent).toMatchObject({ [dialect.maxTokens ?? "max_completion_tokens"]: 50, tools });
    expect(Object.keys(sent).filter((word) => word.startsWith("max_"))).toHaveLength(1);
    expect(sent["tool_choice"]).toBe(dialect.toolChoice?.["required"] ?? "required");
    expect(sent["stream_options"]).toEqual(dialect.alwaysReportsUsage === true ? undefined : { include_usage: true });
    if (dialect.noDeveloper === true) expect(JSON.stringify(sent)).not.toContain('"developer"');
    const dropped = headers.get("x-modelgate-dropped") ?? "";
    for (const word of ["parallel_tool_calls", "logit_bias", "frequency_penalty"])
      expect(dropped.includes(word), `${word} in ${dropped}`).toBe(refused.includes(word));
  });
});

describe.each(inMessages)("%s, in the messages wire", (name, { messages: { whole, stream } }) => {
  const model = `${name}-messages`;
  const cases = [
    ...(whole === undefined ? [] : [{ streamed: false, says: whole.says, units: whole.units }]),
    ...(stream === undefined ? [] : [{ streamed: true, says: stream.says, units: stream.units }]),
  ].flatMap((each) => (["chat", "messages"] as const).map((wire) => ({ ...each, wire })));

  test.each(cases)("answers a client of $wire, streamed: $streamed, and is billed to the token", async (each) => {
    const { wire, streamed, says, units } = each;
    const path = wire === "chat" ? "/v1/chat/completions" : "/v1/messages";
    const { status, text, requestId } = await ask(path, { model, max_tokens: 2_000, stream: streamed, messages });
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(wordsOf[wire](text, streamed)).toBe(says);
    const event = await eventOf(requestId);
    expect(event.units).toEqual(units);
    expect(event).toMatchObject({ estimated: false, costNanos: String(costOf(units, compilePrice(price), 1)) });
  });
});

function dataOf(text: string): readonly any[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** Mistral sends its words in parts. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map(({ text = "" }: { readonly text?: string }) => text).join("");
}

function chatWords(text: string, stream: boolean): string {
  if (!stream) return textIn(JSON.parse(text).choices[0].message.content);
  return dataOf(text)
    .map(({ choices }) => textIn(choices[0]?.delta?.content))
    .join("");
}

function messagesWords(text: string, stream: boolean): string {
  const blocks: readonly any[] = stream ? dataOf(text).map(({ delta = {} }) => delta) : JSON.parse(text).content;
  return blocks.map((block) => block.text ?? "").join("");
}
