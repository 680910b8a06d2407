import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { anthropicAt } from "../../../services/text/test/every-vendor.ts";
import { keyOf, startEveryVendorSuite } from "./every-vendor-suite.ts";
import { droppedIn } from "./question.ts";
import { forbidWarnings } from "../../../services/text/test/forbid-warnings.ts";
import { ownAndOther } from "../../../services/text/test/vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startEveryVendorSuite({ env: { HEARTBEAT_MS: "100" } });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
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

describe.each(ownAndOther("messages"))("messages over $name", ({ name: model, wire }) => {
  beforeEach(() => suite.simulator.forget(model));

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
  ])("a key in %s", async (_, headers) => {
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

  test("beta features reach only a vendor that supports them", async () => {
    const answer = await post(
      hello(model),
      { "x-api-key": key, ...version, "anthropic-beta": "a-1,b-2" },
      "?beta=true",
    );
    expect(answer.status).toBe(200);
    const [vendorRequest] = await suite.simulator.requests(model);
    expect(vendorRequest?.headers["anthropic-beta"]).toBe(wire === "messages" ? "a-1,b-2" : undefined);
    const dropped = droppedIn(answer.headers.get("x-modelgate-dropped"));
    expect(dropped.includes("anthropic-beta")).toBe(wire !== "messages");
    expect(vendorRequest?.headers["anthropic-version"]).toBe(wire === "messages" ? "2023-06-01" : undefined);
    expect(JSON.stringify(vendorRequest?.headers)).not.toContain(key);
  });

  test("the SDK's beta messages", async () => {
    const { content } = await anthropicAt(suite.edgeUrl, key).beta.messages.create({ ...hello(model), betas: ["a-1"] });
    expect(content).toMatchObject([{ type: "text", text: "You said: Hello" }]);
  });

  test("a silent stream sends heartbeats", async () => {
    const prompt = `Hello {{simulate: {"chunks": 2, "chunkDelayMs": 350}}}`;
    const stream = { ...hello(model), messages: [{ role: "user", content: prompt }], stream: true };
    const events = await (await post(stream, { "x-api-key": key, ...version })).text();
    expect(events).toContain('event: ping\ndata: {"type":"ping"}\n\n');
    expect(events.trimEnd().endsWith('data: {"type":"message_stop"}')).toBe(true);
  });

  test("tokens are counted", async () => {
    const counted = await anthropicAt(suite.edgeUrl, key).messages.countTokens({
      model,
      messages: hello(model).messages,
    });
    expect(counted.input_tokens).toBeGreaterThan(0);
  });
});
