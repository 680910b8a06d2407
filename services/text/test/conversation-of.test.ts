import { describe, expect, test } from "vitest";
import { isRecord } from "@modelgate/formats/json";
import { wires as textWires } from "@modelgate/wires/text";
import { conversationOf } from "../src/conversation-of.ts";

const wires = ["chat", "messages", "responses", "content"] as const;
type ConversationWire = (typeof wires)[number];

function conversationIn(wire: ConversationWire, body: unknown): ReturnType<typeof conversationOf> {
  return isRecord(body) ? conversationOf(textWires[wire].client.dialogue(body)) : undefined;
}

const messageOf = (role: string, content: unknown, more: object = {}) => ({ role, content, ...more });
/** Requests of one conversation on each wire, one per turn. */
const turnsOf: Readonly<Record<ConversationWire, readonly object[]>> = {
  chat: [
    { messages: [messageOf("system", "Be kind."), messageOf("user", "Hi")] },
    {
      messages: [
        messageOf("system", "Be kind."),
        messageOf("user", [{ type: "text", text: "Hi" }]),
        messageOf("assistant", "Hello", { reasoning_content: "so" }),
        messageOf("user", "And?"),
      ],
    },
    {
      messages: [
        messageOf("system", "Be kind."),
        messageOf("user", "Hi"),
        messageOf("assistant", "Hello"),
        messageOf("user", "And?"),
        messageOf("assistant", "Well"),
        messageOf("user", "Go on"),
      ],
    },
  ],
  messages: [
    {
      system: "Be kind.",
      messages: [messageOf("user", [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }])],
    },
    {
      system: [
        { type: "text", text: "x-anthropic-billing-header: cc_version=2; cch=1;" },
        { type: "text", text: "Be kind." },
      ],
      messages: [
        messageOf("user", "Hi"),
        messageOf("assistant", [
          { type: "thinking", thinking: "so", signature: "s" },
          { type: "text", text: "Hello" },
        ]),
        messageOf("user", "And?"),
      ],
    },
    {
      system: "Be kind.",
      messages: [
        messageOf("user", "Hi"),
        messageOf("assistant", "Hello"),
        messageOf("user", "And?"),
        messageOf("assistant", "Well"),
        messageOf("user", "Go on"),
      ],
    },
  ],
  responses: [
    { instructions: "Be kind.", input: "Hi" },
    {
      input: [
        messageOf("user", "Hi"),
        { type: "reasoning", id: "rs_1", encrypted_content: "x" },
        messageOf("assistant", [{ type: "output_text", text: "Hello" }], { id: "msg_1" }),
        messageOf("user", "And?"),
      ],
    },
    {
      input: [
        messageOf("user", "Hi"),
        messageOf("assistant", "Hello"),
        messageOf("user", "And?"),
        messageOf("assistant", "Well"),
        messageOf("user", "Go on"),
      ],
    },
  ],
  content: [
    { systemInstruction: { parts: [{ text: "Be kind." }] }, contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
    {
      systemInstruction: { parts: [{ text: "Be kind." }] },
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hello", thoughtSignature: "x" }] },
        { role: "user", parts: [{ text: "And?" }] },
      ],
    },
    {
      systemInstruction: { parts: [{ text: "Be kind." }] },
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hello" }] },
        { role: "user", parts: [{ text: "And?" }] },
        { role: "model", parts: [{ text: "Well" }] },
        { role: "user", parts: [{ text: "Go on" }] },
      ],
    },
  ],
};

test.each(wires)(
  "%s: the first turn has no predecessor, the second turn finds the first, later turns find the second",
  (wire) => {
    const [first, second, third] = turnsOf[wire].map((body) => conversationIn(wire, body));
    expect(first?.namesToFind).toEqual([]);
    expect(second?.namesToFind[1]).toBe(first?.nameToStore);
    expect(second?.nameToStore).not.toBe(first?.nameToStore);
    expect(third?.namesToFind[0]).toBe(second?.nameToStore);
    expect(third?.nameToStore).toBe(second?.nameToStore);
  },
);

describe("conversations are distinguished", () => {
  const chat = (body: object) => conversationIn("chat", body)?.nameToStore;
  const [, second = {}] = turnsOf.chat;

  test.each<[string, object, object]>([
    ["by their first words", { messages: [messageOf("user", "a")] }, { messages: [messageOf("user", "b")] }],
    ["by their end user", { ...second, user: "a" }, { ...second, user: "b" }],
    [
      "by their end user in metadata",
      { ...second, metadata: { user_id: "a" } },
      { ...second, metadata: { user_id: "b" } },
    ],
    ["by the client's name for it", { ...second, prompt_cache_key: "a" }, { ...second, prompt_cache_key: "b" }],
    [
      "by their first answer",
      { messages: [messageOf("user", "a"), messageOf("assistant", "x")] },
      { messages: [messageOf("user", "a"), messageOf("assistant", "y")] },
    ],
    [
      "with different splits of the same text",
      { messages: [messageOf("user", "ab"), messageOf("user", "c")] },
      { messages: [messageOf("user", "a"), messageOf("user", "bc")] },
    ],
  ])("%s", (_, one, other) => {
    expect(chat(one)).not.toBe(chat(other));
    expect(chat(one)).toBe(chat(structuredClone(one)));
  });

  test("the client's name of the conversation is sufficient, independently of the messages", () => {
    const first = conversationIn("chat", { prompt_cache_key: "k", messages: [messageOf("user", "a")] });
    const second = conversationIn("responses", { prompt_cache_key: "k", input: "b" });
    expect(first).toEqual(second);
    expect(first?.namesToFind).toEqual([first?.nameToStore]);
  });
});

test.each([undefined, null, "text", [], {}, { messages: "no list" }, { messages: [] }])(
  "%j is not a conversation",
  (body) => {
    expect(conversationIn("chat", body)).toBeUndefined();
  },
);

test("content beyond the limit is not read", () => {
  const long = "x".repeat(100_000);
  const keep = (text: string) => conversationIn("chat", { messages: [messageOf("user", text)] })?.nameToStore;
  expect(keep(`${long}a`)).toBe(keep(`${long}b`));
});
