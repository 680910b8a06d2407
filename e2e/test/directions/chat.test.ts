import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { openaiAt } from "../../../services/text/test/every-vendor.ts";
import { keyOf, startEveryVendorSuite } from "./every-vendor-suite.ts";
import { forbidWarnings } from "../../../services/text/test/forbid-warnings.ts";
import { ownAndOther } from "../../../services/text/test/vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startEveryVendorSuite();
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const completions = () => openaiAt(suite.edgeUrl, keyOf("demo")).chat.completions;
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

describe.each(ownAndOther("chat"))("chat completions over $name", ({ name: model }) => {
  beforeEach(() => suite.simulator.forget(model));
  const hello = (content = "Hello") => ({ model, messages: [{ role: "user" as const, content }] });

  test("the SDK's helpers for streams and calls", async () => {
    const stream = completions().stream({ ...hello('call weather {"city":"Oslo"}'), tools: [weather] });
    const { choices } = await stream.finalChatCompletion();
    expect(choices).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
      },
    ]);
  });

  test("the SDK's tool runner", async () => {
    const run = completions().runTools({
      ...hello('call weather {"city":"Oslo"}'),
      tools: [{ ...weather, function: { ...weather.function, description: "", function: () => "rain" } }],
    });
    expect(await run.finalContent()).toBe("rain");
  });

  test("the SDK's parsing of an answer by a schema", async () => {
    const { schema } = { schema: weather.function.parameters };
    const answer = await completions().parse({
      ...hello(),
      response_format: { type: "json_schema", json_schema: { name: "place", strict: true, schema } },
    });
    expect(answer.choices[0]?.message.parsed).toEqual({ city: "words" });
  });

  test("a stream has no usage unless it was requested", async () => {
    for await (const chunk of await completions().create({ ...hello(), stream: true })) {
      expect(chunk.usage ?? null).toBeNull();
      expect(chunk.choices).toHaveLength(1);
    }
  });
});
