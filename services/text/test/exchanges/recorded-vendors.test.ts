import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compilePrice, costOf, type Units } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { chatWireForDialect, textWire } from "@modelgate/wires/text";
import { readForClient, callOf, exchangeOf, sentBody, type Answered } from "./in-memory.ts";

/**
 * Vendor's answer in the chat wire, copied from public sources, and the units that must be billed for it. `note` names
 * the parts that are based on documentation only.
 */
interface Recording {
  readonly source: string;
  readonly note?: string;
  readonly model: string;
  /** Text of the answer, without reasoning. */
  readonly text: string;
  readonly units: Units;
  readonly streamUnits: Units;
  readonly whole: object;
  /** Chunks of the stream, without the final `[DONE]`. */
  readonly stream: readonly object[];
  /** Answers in the messages wire. An answer without a recording is absent. */
  readonly messages?: {
    readonly source: string;
    readonly whole?: { readonly text: string; readonly units: Units; readonly body: object };
    /** Events of the stream. The name of an event equals its type. */
    readonly stream?: { readonly text: string; readonly units: Units; readonly events: readonly { type: string }[] };
  };
}

const folder = join(import.meta.dirname, "recordings");
const recordings = readdirSync(folder).map((file): readonly [string, Recording] => [
  file.replace(/\.json$/, ""),
  JSON.parse(readFileSync(join(folder, file), "utf8")),
]);
const inMessages = recordings.filter(([, { messages }]) => messages !== undefined);

test("every vendor with differences from the chat wire has a recording, and every recording has a vendor", () => {
  const names = recordings.map(([name]) => name);
  const rows = Object.values(providers).filter(({ dialect, name }) => dialect !== undefined || names.includes(name));
  expect(rows.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

const turns = [{ role: "user", content: "Hello?" }];

const clients = (["chat", "messages"] as const).flatMap((client) => [
  { client, stream: false },
  { client, stream: true },
]);

describe.each(recordings)("%s", (name, { model, text, whole, units, stream: chunks, streamUnits }) => {
  const { dialect = {} } = providers[name] ?? {};
  const vendor = chatWireForDialect(dialect);

  test.each(clients)("answers a client of $client, streamed: $stream, and is billed exactly", async (to) => {
    const exchange = await exchangeOf(callOf(to.client, request(to.stream)), vendor, model);
    const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`);
    const answer = await readForClient(exchange, to.stream ? frames.join("") : JSON.stringify(whole));
    expect(wordsIn[to.client](answer, to.stream)).toBe(text);
    expectBilled(answer, to.stream ? streamUnits : units);
  });

  test("is sent nothing that it refuses, and dropped fields are named to the client", async () => {
    const { refuses = [], maxTokens = "max_completion_tokens", toolChoice, alwaysReportsUsage, noDeveloper } = dialect;
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
    const exchange = await exchangeOf(
      callOf("chat", {
        model: "m",
        max_completion_tokens: 50,
        stream: true,
        messages: [{ role: "developer", content: "Be brief." }, ...turns],
        tools,
        tool_choice: "required",
        parallel_tool_calls: false,
        seed: 7,
        logit_bias: { "1": 1 },
        frequency_penalty: 0.5,
      }),
      vendor,
      model,
    );
    const sent: Readonly<Record<string, unknown>> = JSON.parse(sentBody(exchange));
    expect(Object.keys(sent).filter((word) => refuses.includes(word))).toEqual([]);
    expect(sent).toMatchObject({ [maxTokens]: 50, tools, model });
    expect(Object.keys(sent).filter((word) => word.startsWith("max_"))).toHaveLength(1);
    expect(sent["tool_choice"]).toBe(toolChoice?.["required"] ?? "required");
    expect(sent["stream_options"]).toEqual(alwaysReportsUsage === true ? undefined : { include_usage: true });
    if (noDeveloper === true) expect(sentBody(exchange)).not.toContain('"developer"');
    // OpenAI's models refuse sampling parameters, whichever vendor serves them.
    const droppedMembers = /gpt-5|\bo\d/.test(model) ? [...refuses, "logit_bias", "frequency_penalty"] : refuses;
    for (const word of ["parallel_tool_calls", "logit_bias", "frequency_penalty"])
      expect([word, exchange.dropped.includes(word)]).toEqual([word, droppedMembers.includes(word)]);
  });
});

describe.each(inMessages)("%s, in the messages wire", (_, { model, messages: { whole, stream } = {} }) => {
  const recorded = clients.filter((to) => (to.stream ? stream : whole) !== undefined);
  test.each(recorded)("answers a client of $client, streamed: $stream, and is billed exactly", async (to) => {
    const exchange = await exchangeOf(callOf(to.client, request(to.stream)), textWire("messages"), model);
    const events = stream?.events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) ?? [];
    const answer = await readForClient(exchange, to.stream ? events.join("") : JSON.stringify(whole?.body));
    expect(wordsIn[to.client](answer, to.stream)).toBe((to.stream ? stream : whole)?.text);
    expectBilled(answer, (to.stream ? stream : whole)?.units);
  });
});

const price = compilePrice({ input: 1, cachedInput: 0.1, output: 10 });

function expectBilled({ metered }: Answered, units: Units = {}): void {
  expect(metered).toEqual({ units: { requests: 1, ...units }, estimated: false });
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = units;
  const nanos = inputTokens * 1_000 + cachedInputTokens * 100 + outputTokens * 10_000;
  expect(costOf(metered.units, price, 1)).toBe(BigInt(nanos));
}

function request(stream: boolean): object {
  return { model: "m", max_tokens: 2_000, stream, messages: turns };
}

function dataOf(text: string): readonly any[] {
  const data = text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
  return data.filter((each) => each !== "[DONE]").map((each) => JSON.parse(each));
}

/** Returns the text of a message's content, which Mistral sends as parts. */
function textIn(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map(({ text = "" }: { readonly text?: string }) => text).join("");
}

/** Readers of the text in a client's answer, by the client's wire. */
const wordsIn = {
  chat({ text }: Answered, stream: boolean): string {
    if (!stream) return textIn(JSON.parse(text).choices[0].message.content);
    return dataOf(text)
      .map(({ choices }) => textIn(choices[0]?.delta?.content))
      .join("");
  },
  messages({ text }: Answered, stream: boolean): string {
    const blocks: readonly any[] = stream ? dataOf(text).map(({ delta = {} }) => delta) : JSON.parse(text).content;
    return blocks.map((block) => block.text ?? "").join("");
  },
} as const;
