import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { anthropicAt } from "./clients/anthropic-messages.ts";
import { keyOf, startHouse } from "./house.ts";
import { droppedIn } from "./question.ts";
import { pdf, png } from "./media.ts";
import { forbidWarnings } from "./quiet.ts";
import { vendors } from "./vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse({ env: { HEARTBEAT_MS: "100" } });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { name } of vendors) await suite.simulator.forget(name);
});
forbidWarnings();

const key = keyOf("demo");
const version = { "anthropic-version": "2023-06-01" };
const hello = (model: string) => ({ model, max_tokens: 100, messages: [{ role: "user" as const, content: "Hello" }] });

const post = (body: object, headers: Record<string, string>, query = "") =>
  fetch(`${suite.edgeUrl}/v1/messages${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

describe.each(vendors)("messages over $name", ({ name: model, wire }) => {
  test("the version is required", async () => {
    const answer = await post(hello(model), { "x-api-key": key });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining("alpha-version") },
      request_id: expect.any(String),
    });
  });

  test.each<[string, Record<string, string>]>([
    ["x-api-key", { "x-api-key": key, ...version }],
    ["a bearer token", { authorization: `Bearer ${key}`, ...version }],
    ["the interface's own header for the version", { "x-api-key": key, "alpha-version": "2023-06-01" }],
  ])("a key by %s", async (_, headers) => {
    const answer = await post(hello(model), headers);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text: "You said: Hello" }],
      stop_reason: "end_turn",
      stop_sequence: null,
    });
  });

  test("beta features reach a vendor that knows them, and no other", async () => {
    const answer = await post(
      hello(model),
      { "x-api-key": key, ...version, "anthropic-beta": "a-1,b-2" },
      "?beta=true",
    );
    expect(answer.status).toBe(200);
    const [seen] = await suite.simulator.requests(model);
    expect(seen?.headers["anthropic-beta"]).toBe(wire === "messages" ? "a-1,b-2" : undefined);
    const dropped = droppedIn(answer.headers.get("x-modelgate-dropped"));
    expect(dropped.includes("anthropic-beta")).toBe(wire !== "messages");
    expect(seen?.headers["anthropic-version"]).toBe(wire === "messages" ? "2023-06-01" : undefined);
    expect(JSON.stringify(seen?.headers)).not.toContain(key);
  });

  test("the SDK's beta messages", async () => {
    const { content } = await anthropicAt(suite, key).beta.messages.create({ ...hello(model), betas: ["a-1"] });
    expect(content).toMatchObject([{ type: "text", text: "You said: Hello" }]);
  });

  test("a silent stream shows that it lives", async () => {
    const said = `Hello {{simulate: {"chunks": 2, "chunkDelayMs": 350}}}`;
    const stream = { ...hello(model), messages: [{ role: "user", content: said }], stream: true };
    const events = await (await post(stream, { "x-api-key": key, ...version })).text();
    expect(events).toContain('event: ping\ndata: {"type":"ping"}\n\n');
    expect(events.trimEnd().endsWith('data: {"type":"message_stop"}')).toBe(true);
  });

  test("tokens are counted", async () => {
    const counted = await anthropicAt(suite, key).messages.countTokens({ model, messages: hello(model).messages });
    expect(counted.input_tokens).toBeGreaterThan(0);
  });

  test("a document as text, a document as PDF, and marks for the cache", async () => {
    const { content } = await anthropicAt(suite, key).messages.create({
      ...hello(model),
      messages: [
        {
          role: "user",
          content: [
            { type: "document", source: { type: "text", media_type: "text/plain", data: "Some words." } },
            {
              type: "document",
              source: { type: "base64", media_type: "application/pdf", data: pdf },
              cache_control: { type: "ephemeral" },
            },
            { type: "text", text: "Sum up." },
          ],
        },
      ],
    });
    expect(content).toMatchObject([{ type: "text", text: expect.stringContaining("Sum up.") }]);
    const [seen] = await suite.simulator.requests(model);
    expect(seen?.body).toContain(pdf);
    expect(seen?.body).toContain(
      wire === "content" || wire === "responses" ? Buffer.from("Some words.").toString("base64") : "Some words.",
    );
  });

  test("a tool's result that is a picture, and one that is an error", async () => {
    const use = (id: string) => ({ type: "tool_use" as const, id, name: "look", input: {} });
    const { content } = await anthropicAt(suite, key).messages.create({
      model,
      max_tokens: 100,
      tools: [{ name: "look", input_schema: { type: "object" } }],
      messages: [
        { role: "user", content: "Look" },
        { role: "assistant", content: [use("toolu_1"), use("toolu_2")] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: [
                { type: "text", text: "seen" },
                { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
              ],
            },
            { type: "tool_result", tool_use_id: "toolu_2", is_error: true, content: "broken" },
          ],
        },
      ],
    });
    expect(content).toHaveLength(1);
    const [seen] = await suite.simulator.requests(model);
    for (const word of [png, "seen", "broken"]) expect(seen?.body).toContain(word);
  });

  test.each([false, true])("thoughts that are sealed only come back to their vendor, streamed: %s", async (stream) => {
    const behaviour = { redactedReasoning: true, tools: [{ name: "look", arguments: {} }] };
    const asked = {
      model,
      max_tokens: 4_096,
      thinking: { type: "enabled" as const, budget_tokens: 2_048 },
      tools: [{ name: "look", input_schema: { type: "object" as const } }],
    };
    const first = [{ role: "user" as const, content: `Look {{simulate: ${JSON.stringify(behaviour)}}}` }];
    const { messages } = anthropicAt(suite, key);
    const { content } = stream
      ? await messages.stream({ ...asked, messages: first }).finalMessage()
      : await messages.create({ ...asked, messages: first });
    const results = content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "seen" }] : [],
    );
    const second = await messages.create({
      ...asked,
      messages: [...first, { role: "assistant", content }, { role: "user", content: results }],
    });
    expect(second.content).toContainEqual(expect.objectContaining({ type: "text", text: "seen" }));
  });
});
