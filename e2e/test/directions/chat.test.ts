import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { openaiAt } from "./clients/openai-chat.ts";
import { keyOf, startHouse } from "./house.ts";
import { forbidWarnings } from "./quiet.ts";
import { vendors, type Vendor } from "./vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse();
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const completions = () => openaiAt(suite, keyOf("demo")).chat.completions;
const weather = {
  type: "function" as const,
  function: {
    name: "weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
};

/** Members of a request that only some wires have a word for, and by which vendors they are refused. */
const rare: readonly {
  readonly name: string;
  readonly asked: Partial<ChatCompletionCreateParamsNonStreaming>;
  readonly refusedBy: readonly Vendor["wire"][];
  readonly field: string;
}[] = [
  { name: "two answers", asked: { n: 2 }, refusedBy: ["responses", "messages"], field: "n" },
  { name: "probabilities", asked: { logprobs: true, top_logprobs: 2 }, refusedBy: [], field: "top_logprobs" },
];

describe.each(vendors)("chat completions over $name", ({ name: model, wire }) => {
  beforeEach(() => suite.simulator.forget(model));
  const hello = (content = "Hello") => ({ model, messages: [{ role: "user" as const, content }] });

  test.each(rare)("$name", async ({ asked, refusedBy, field }) => {
    const call = completions().create({ ...hello(), ...asked, stream: false });
    if (refusedBy.includes(wire))
      return expect(call).rejects.toMatchObject({ status: 400, code: "unsupported_parameter", param: field });
    const { choices } = await call;
    expect(choices.map(({ index }) => index)).toEqual(asked.n === 2 ? [0, 1] : [0]);
    for (const { message, logprobs } of choices) {
      expect(message.content).toBe("You said: Hello");
      const tokens = logprobs?.content?.map(({ token }) => token).join("");
      expect(tokens).toBe(asked.logprobs === true && wire !== "messages" ? "You said: Hello" : undefined);
    }
  });

  test("the SDK's own collecting of streams and calls", async () => {
    const stream = completions().stream({ ...hello('call weather {"city":"Oslo"}'), tools: [weather] });
    const { choices } = await stream.finalChatCompletion();
    expect(choices).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
      },
    ]);
  });

  test("the SDK's own running of tools", async () => {
    const run = completions().runTools({
      ...hello('call weather {"city":"Oslo"}'),
      tools: [{ ...weather, function: { ...weather.function, description: "", function: () => "rain" } }],
    });
    expect(await run.finalContent()).toBe("rain");
  });

  test("the SDK's own reading of an answer by a schema", async () => {
    const { schema } = { schema: weather.function.parameters };
    const answer = await completions().parse({
      ...hello(),
      response_format: { type: "json_schema", json_schema: { name: "place", strict: true, schema } },
    });
    expect(answer.choices[0]?.message.parsed).toEqual({ city: "words" });
  });

  test("a stream that was not asked for usage has none", async () => {
    for await (const chunk of await completions().create({ ...hello(), stream: true })) {
      expect(chunk.usage ?? null).toBeNull();
      expect(chunk.choices).toHaveLength(1);
    }
  });

  test("a picture that the model made", async () => {
    const answer = await completions().create(hello('{{simulate: {"image": true}}}'));
    const [choice] = answer.choices;
    // The wire's own vendor has no word for it: this is how its followers send pictures.
    const messageText = JSON.stringify(choice?.message);
    if (wire === "messages") return expect(messageText).not.toContain("image_url");
    expect(choice?.message).toMatchObject({
      images: [{ type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } }],
    });
  });

  test("the older words: max_tokens, functions as tools of their own, json_object", async () => {
    const short = await completions().create({ ...hello("word ".repeat(40)), max_tokens: 20 });
    expect(short.choices[0]?.finish_reason).toBe("length");
    const json = await completions().create({ ...hello("Answer in JSON"), response_format: { type: "json_object" } });
    // The messages wire has no word for it, and asks the model in words, which the simulator does not heed.
    const heeded = JSON.stringify({ answer: "You said: Answer in JSON" });
    expect(json.choices[0]?.message.content).toBe(wire === "messages" ? "You said: Answer in JSON" : heeded);
  });
});
