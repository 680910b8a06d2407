import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { anthropicAt } from "./clients/anthropic-messages.ts";
import { keyOf, startHouse } from "./house.ts";
import { forbidWarnings } from "./quiet.ts";
import { vendors } from "./vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse();
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const beta = () => anthropicAt(suite, keyOf("demo")).beta.messages;
const most = 100;

describe.each(vendors)("threads over $name", ({ name: model }) => {
  const lastBody = async (): Promise<string> => (await suite.simulator.requests(model)).at(-1)?.body ?? "";

  test("a tool runner runs its loop to the end", async () => {
    const runner = beta().toolRunner({
      model,
      max_tokens: most,
      messages: [{ role: "user", content: 'call weather {"city":"Oslo"}' }],
      tools: [
        {
          name: "weather",
          description: "The weather.",
          input_schema: { type: "object", properties: { city: { type: "string" } } },
          run: () => "rain",
          parse: (input: unknown) => input,
        },
      ],
    });
    const last = await runner;
    expect(last.content).toMatchObject([{ type: "text", text: "rain" }]);
    expect(await lastBody()).toContain("Oslo");
  });

  test("a thread's second turn knows its first", async () => {
    const thread = beta().thread({ model, max_tokens: most, unsupportedRequestBehavior: "continue_unthreaded" });
    await thread.send({ role: "user", content: "My name is Ada." });
    await thread.send({ role: "user", content: "Who am I?" });
    expect(await lastBody()).toContain("My name is Ada.");
  });
});
