import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { inEveryDirection, type Cell } from "./cells.ts";
import { clients } from "./clients/index.ts";
import { keyOf, startHouse } from "./house.ts";
import { forbidWarnings } from "./quiet.ts";
import type { Client, Heard, Question } from "./question.ts";
import { otherGenerations, vendors } from "./vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse();
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const tools = [
  { name: "weather", description: "The weather in a city.", argument: "city" },
  { name: "time", description: "The time in a zone.", argument: "zone" },
];
const oneCall = [{ text: 'call weather {"city":"Oslo"}' }];
const twoCalls = [{ text: 'call weather {"city":"Oslo"} and call time {"zone":"CET"}' }];
const reason = "Thinking about: ";

/** Results of everything that was called. */
const resultsOf = ({ calls }: Heard) => calls.map((call) => ({ call, output: `result of ${call.name}` }));

/** What the vendor makes of the results of these tools; one SDK sends a result as an object with the tool's name. */
function answered({ name }: Client, ...called: readonly string[]): RegExp {
  const lines = called.map((tool) =>
    name === "ai google" ? `\\{"name":"${tool}","content":"result of ${tool}"\\}` : `result of ${tool}`,
  );
  return new RegExp(`^${lines.join("\n")}$`);
}

inEveryDirection(({ client, vendor, stream }) => {
  beforeEach(() => suite.simulator.forget(vendor.name));
  const ask = (question: Partial<Question>): Promise<Heard> =>
    client.ask(suite, keyOf("demo"), { model: vendor.name, stream, said: oneCall, tools, ...question });
  const seen = async (): Promise<string> => (await suite.simulator.requests(vendor.name)).at(-1)?.body ?? "";

  test("a call, its result, and the answer after it", async () => {
    const first = await ask({});
    expect(first).toMatchObject({ text: "", finish: client.endings.calls, dropped: [] });
    expect(first.calls).toMatchObject([{ name: "weather", arguments: { city: "Oslo" } }]);
    const second = await first.follow(resultsOf(first));
    expect(second).toMatchObject({ calls: [], finish: client.endings.stop, dropped: [] });
    expect(second.text).toMatch(answered(client, "weather"));
  });

  test("calls side by side, answered together", async () => {
    const first = await ask({ said: twoCalls });
    expect(first.calls).toMatchObject([
      { name: "weather", arguments: { city: "Oslo" } },
      { name: "time", arguments: { zone: "CET" } },
    ]);
    const ids = first.calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect((await first.follow(resultsOf(first))).text).toMatch(answered(client, "weather", "time"));
  });

  test("words before a call stay before it", async () => {
    const behaviour = { text: "Let me see.", tools: [{ name: "weather", arguments: { city: "Oslo" } }] };
    const first = await ask({ said: [{ text: `{{simulate: ${JSON.stringify(behaviour)}}}` }] });
    expect(first.calls).toHaveLength(1);
    // The SDK of this wire warns of a text that is read where there are calls, so that the test does not.
    if (client.name !== "genai") expect(first.text).toBe("Let me see.");
    expect((await first.follow(resultsOf(first))).text).toMatch(answered(client, "weather"));
    expect(await seen()).toContain("Let me see.");
  });

  test("a call is forced", async () => {
    const first = await ask({ said: [{ text: "Hello" }], forced: true, tools: tools.slice(0, 1) });
    expect(first.calls).toMatchObject([{ name: "weather", arguments: { city: "words" } }]);
  });

  // Where a wire has no word for it, no client can ask for it.
  const serialWord = serialWords[client.wire];
  test.each(serialWord === undefined ? [] : [serialWord])("one call at a time, by %s", async () => {
    const first = await ask({ said: twoCalls, serial: true });
    const isLost = vendor.wire === "content";
    expect(first.calls).toHaveLength(isLost ? 2 : 1);
    expect(first.dropped).toEqual(isLost ? [serialWord] : []);
  });

  thoughtTests({ client, vendor, stream });
});

/** Thoughts depend on the generation of the model as well. */
inEveryDirection(thoughtTests, otherGenerations);

function thoughtTests({ client, vendor, stream }: Cell): void {
  beforeEach(() => suite.simulator.forget(vendor.name));
  const seen = async (): Promise<string> => (await suite.simulator.requests(vendor.name)).at(-1)?.body ?? "";
  const showsThoughts = vendor.name !== "chat" && !(client.wire === "chat" && vendor.wire === "responses");
  const readsThoughts = client.name !== "ai openai chat";
  test(`thoughts are ${showsThoughts && readsThoughts ? "shown" : "not shown"}`, async () => {
    const question = { model: vendor.name, stream, said: [{ text: "Hello" }], reasoning: true };
    const heard = await client.ask(suite, keyOf("demo"), question);
    expect(heard.text).toBe("You said: Hello");
    expect(heard.reasoning).toBe(showsThoughts && readsThoughts ? `${reason}Hello` : "");
    expect(heard.dropped).toEqual([]);
  });

  // This SDK sends a message of this wire back without what it does not know.
  const keepsThoughts = client.name !== "ai openai chat";
  test("thoughts are kept while tools are called", async () => {
    const question = { model: vendor.name, stream, said: oneCall, tools, reasoning: true };
    const first = await client.ask(suite, keyOf("demo"), question);
    expect(first.calls).toHaveLength(1);
    const second = await first.follow(resultsOf(first));
    expect(second.text).toMatch(answered(client, "weather"));
    if (showsThoughts && readsThoughts) expect(first.reasoning).toContain(reason);
    const kept = keptAs[vendor.name];
    if (kept !== undefined && keepsThoughts) expect(await seen()).toContain(kept);
  });
}

/** How a client of each wire says that calls come one at a time; content generation has no word for it. */
const serialWords: Readonly<Record<string, string>> = {
  chat: "parallel_tool_calls",
  responses: "parallel_tool_calls",
  messages: "tool_choice.disable_parallel_tool_use",
};

/** What shows at each vendor that the thoughts of its last turn came back. */
const keptAs: Readonly<Record<string, string>> = {
  "open-chat": `"reasoning_content":"Thinking about: `,
  responses: `"encrypted_content":"`,
  messages: `"signature":"`,
  content: `"thoughtSignature":"`,
  "messages-adaptive": `"signature":"`,
  "content-budgets": `"thoughtSignature":"`,
};

/** A vendor refuses what it did not seal, and the simulator does too. */
describe.each(clients)("$name: a conversation with thoughts and calls goes on at another vendor", (client) => {
  const ways = vendors.flatMap((from) => vendors.filter((to) => to !== from).map((to) => ({ from, to })));
  test.each(ways)("from $from.name to $to.name and back", async ({ from, to }) => {
    const said = { said: twoCalls, tools, reasoning: true };
    const first = await client.ask(suite, keyOf("demo"), { model: from.name, stream: false, ...said });
    const second = await first.follow(resultsOf(first), { model: to.name });
    expect(second.text).toMatch(answered(client, "weather", "time"));
    const back = await first.follow(resultsOf(first), { stream: true });
    expect(back.text).toMatch(answered(client, "weather", "time"));
  });
});
