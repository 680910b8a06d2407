import { describe, expect, test } from "vitest";
import { wires } from "../src/text/index.ts";
import { assembledMessage, contextFor, eventsOf, framesOf, oneAnswer } from "./harness.ts";

const explanation = "This request was blocked under the usage policy.";
const details = {
  type: "refusal",
  category: "cyber",
  explanation,
  recommended_model: null,
  fallback_credit_token: "token",
};
const message = {
  type: "message",
  content: [],
  stop_reason: "refusal",
  stop_details: details,
  usage: { input_tokens: 9, output_tokens: 1 },
};
const sse = (type: string, members: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const stream =
  sse("message_start", { message: { ...message, stop_reason: null, stop_details: null } }) +
  sse("message_delta", {
    delta: { stop_reason: "refusal", stop_sequence: null, stop_details: details },
    usage: message.usage,
  }) +
  sse("message_stop", {});

type Client = "chat" | "responses" | "messages" | "content" | "interactions" | "completions" | "ollama-chat";
const whole = (client: Client) => wires[client].client.render(wires.messages.vendor.parse(message), contextFor());
function streamed(client: Client): string {
  const writer = wires[client].client.stream(contextFor());
  const events = eventsOf(wires.messages.vendor.stream(), stream).map((event) => writer.write(event));
  return events.join("") + writer.end();
}

describe("a refusal with the vendor's explanation", () => {
  test("keeps its details for clients of the same wire, without additional text", () => {
    const expected = { stop_reason: "refusal", stop_details: details, content: [] };
    expect(whole("messages")).toMatchObject(expected);
    expect(assembledMessage(streamed("messages"))).toMatchObject(expected);
  });

  test("becomes the refusal of chat and responses", () => {
    expect(whole("chat")).toMatchObject({
      choices: [{ message: { content: null, refusal: explanation }, finish_reason: "stop" }],
    });
    expect(streamed("chat")).toContain(`"refusal":${JSON.stringify(explanation)}`);
    const content = [{ type: "refusal", refusal: explanation }];
    expect(whole("responses")).toMatchObject({ status: "completed", output: [{ type: "message", content }] });
    const last = JSON.parse(framesOf(streamed("responses")).at(-1)?.data ?? "{}");
    expect(last).toMatchObject({ type: "response.completed", response: { output: [{ content }] } });
  });

  test("becomes the finish message of content", () => {
    const candidate = { content: { parts: [] }, finishReason: "SAFETY", finishMessage: explanation };
    expect(whole("content")).toMatchObject({ candidates: [candidate] });
    const last = JSON.parse(framesOf(streamed("content")).at(-1)?.data ?? "{}");
    expect(last).toMatchObject({ candidates: [{ ...candidate, content: { parts: [{ text: "" }] } }] });
  });

  test.each(["interactions", "completions", "ollama-chat"] as const)("becomes text for clients of %s", (client) => {
    expect(JSON.stringify(whole(client))).toContain(explanation);
    expect(streamed(client)).toContain(explanation);
  });
});

test("a refusal of other vendors has details for clients of messages", () => {
  const answer = oneAnswer([{ kind: "refusal", text: "No." }], "refused");
  expect(wires.messages.client.render(answer, contextFor())).toMatchObject({
    content: [{ type: "text", text: "No." }],
    stop_reason: "refusal",
    stop_details: { type: "refusal", category: null, explanation: null },
  });
});

test("a refusal without an explanation gets one from its category, and without both stays a filtered answer", () => {
  const parse = (stop_details: unknown) => wires.messages.vendor.parse({ ...message, stop_details });
  expect(parse({ ...details, explanation: null }).choices[0]?.parts).toMatchObject([
    { text: "The model declined to answer (cyber)." },
  ]);
  expect(parse(null).choices).toEqual([{ parts: [], finish: "refused" }]);
});

/** Items of clients' histories that no vendor of another wire can read. */
describe("a history with steps of other vendors", () => {
  const target = { model: "m", defaultMaxTokens: 100 };
  const to = (wire: "chat" | "messages" | "content" | "converse" | "interactions", input: readonly object[]) => {
    const { request } = wires.responses.client.read({ model: "m", input });
    return wires[wire].vendor.render(request, target);
  };
  const userMessage = { role: "user", content: "Go on." };
  const agents = { type: "agent_message", author: "scout", recipient: "root" };

  test.each(["chat", "messages", "content", "converse", "interactions"] as const)(
    "%s gets the readable steps as text, and the others are named",
    (wire) => {
      const readable = to(wire, [{ ...agents, content: [{ type: "input_text", text: "found it" }] }, userMessage]);
      expect(readable.dropped).toEqual([]);
      expect(JSON.stringify(readable.body)).toContain("Message of the agent scout to root:\\n\\nfound it");
      const opaque = to(wire, [
        { ...agents, content: [{ type: "encrypted_content", encrypted_content: "x" }] },
        { type: "context_compaction", encrypted_content: "x" },
        { type: "multi_agent_call", call_id: "c", action: "spawn_agent", arguments: "{}" },
        userMessage,
      ]);
      expect(opaque.dropped).toEqual(["turn.agents", "turn.compaction"]);
    },
  );

  test("blocks of messages are converted too", () => {
    const content = [
      { type: "compaction", content: "They talked.", encrypted_content: null },
      { type: "fallback", from: { model: "a" }, to: { model: "b" } },
      { type: "text", text: "Hi" },
    ];
    const messages = [{ role: "user", content: "x" }, { role: "assistant", content }, userMessage];
    const { request } = wires.messages.client.read({ model: "m", max_tokens: 9, messages });
    const chat = wires.chat.vendor.render(request, target);
    expect(chat.dropped).toEqual(["turn.fallback"]);
    expect(JSON.stringify(chat.body)).toContain("Summary of the earlier conversation:\\n\\nThey talked.");
    expect(wires.messages.vendor.render(request, target).body).toMatchObject({ messages: [{}, { content }, {}] });
  });

  test("steps are unchanged for vendors of their wire", () => {
    const items = [
      { ...agents, content: [] },
      { type: "context_compaction", encrypted_content: "x" },
    ];
    const { request } = wires.responses.client.read({ model: "m", input: [userMessage, ...items] });
    expect(wires.responses.vendor.render(request, target).body).toMatchObject({ input: [{}, ...items] });
  });
});
