import { Failure } from "@modelgate/contracts";
import { describe, expect, test } from "vitest";
import { decodeImages, readImageBody, wires, writeImages } from "../src/images/index.ts";
import { maxStepBytes, runToEnd } from "@modelgate/formats/json";
import { chatWireForDialect, wires as textWires, type TextPass } from "../src/text/index.ts";
import { vendorIdsIn } from "../src/vendor-stores/index.ts";
import { videoStoreDialect } from "../src/video/index.ts";

function stepsOf(work: Iterator<undefined, unknown>): number {
  for (let steps = 1; ; steps++) if (work.next().done === true) return steps;
}

const megabyte = 1024 * 1024;
const turns = megabyte / maxStepBytes;
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe("a large body blocks the event loop only for short steps", () => {
  const escapes = bytesOf({ model: "m", messages: [{ role: "user", content: '"'.repeat(megabyte) }] });
  const signature = Buffer.from('{"modelgate"').toString("base64");
  const thoughts = (signature: string) => ({ type: "thinking", thinking: "so", signature });
  const call = { type: "tool_use", id: "a", name: "b", input: {} };
  const history = bytesOf({
    model: "m",
    thinking: { type: "enabled", budget_tokens: 2_000 },
    messages: Array.from({ length: 4_000 }, () => ({
      role: "assistant",
      content: [thoughts(signature), { type: "text", text: "x".repeat(300) }, call],
    })),
  });
  const other = { model: "theirs", reportUsage: false };
  test.each<[string, () => Iterator<undefined, unknown>]>([
    [
      "a search for ids in a wide object",
      () => vendorIdsIn(textWires.chat.client.stores, { a: Array.from({ length: 60_000 }, () => ({})) }),
    ],
    [
      "the check of a history for signatures",
      () => textWires.messages.pass.accepts?.(history, "claude-sonnet-4-5") ?? [].values(),
    ],
    ["the removal of signatures", () => textWires.messages.pass.upstreamBody(history, other)],
    ["a new model name in an unparsed body", () => textWires.chat.pass.upstreamBody(escapes, other)],
  ])("%s", (_, work) => {
    expect(stepsOf(work())).toBeGreaterThanOrEqual(turns);
  });

  test.each<[string, TextPass, number]>([
    ["OpenAI", textWires.chat.pass, 1],
    ["a dialect", chatWireForDialect({ maxTokens: "max_tokens" }).pass ?? textWires.chat.pass, 2],
  ])("a renamed output limit at %s", (_, { fit }, scans) => {
    const body = bytesOf({ max_completion_tokens: 9, max_tokens: 9, messages: "x".repeat(megabyte) });
    const target = { model: "gpt-5-mini", foreignItems: new Set<string>() };
    expect(stepsOf(fit?.(body, target) ?? [].values())).toBeGreaterThanOrEqual(scans * turns);
  });

  test("a large body gives the same result as a small one", () => {
    const sent = JSON.parse(runToEnd(textWires.messages.pass.upstreamBody(history, other)).toString());
    expect(sent).toMatchObject({ model: "theirs", thinking: { type: "enabled" } });
    expect(sent.messages).toHaveLength(4_000);
    expect(sent.messages[3_999].content).toEqual([{ type: "text", text: "x".repeat(300) }, call]);
    const takesBody = textWires.messages.pass.accepts?.(history, "claude-sonnet-4-5");
    expect(takesBody && runToEnd(takesBody)).toBe(false);
  });
});

test.each([
  ["Base64", "A".repeat(megabyte), 0],
  ["a URL of several megabytes", `https://a.test/${"x".repeat(megabyte)}`, 1],
  ["a store's scheme behind megabytes of spaces", `${" ".repeat(megabyte)}gs://bucket/file`, 1],
])("%s as an image", (_, url, named) => {
  expect(runToEnd(vendorIdsIn(textWires.chat.client.stores, { image_url: { url } }))).toHaveLength(named);
});

test("JSON within a text is parsed only if it is short", () => {
  const text = (length: number) => JSON.stringify({ file_id: "a", more: "x".repeat(length) });
  expect(runToEnd(vendorIdsIn(videoStoreDialect, { metadata: text(10) }))).toHaveLength(1);
  expect(() => runToEnd(vendorIdsIn(videoStoreDialect, { metadata: text(megabyte) }))).toThrow(Failure);
});

describe("a large picture", () => {
  const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(megabyte, 7)]);
  const base64 = png.toString("base64");
  const parsedRequest = (image: string) => readImageBody({ model: "m", prompt: "p", image }).request;

  test.each(["images", "qwen-images", "content", "image-edits"] as const)(
    "is decoded and sent by %s in small steps, unchanged",
    (wire) => {
      const work = decodeImages(parsedRequest(`data:image/png;base64,${base64}`));
      expect(stepsOf(decodeImages(parsedRequest(base64)))).toBeGreaterThanOrEqual(turns);
      const { body } = writeImages(wires[wire].vendor.render(runToEnd(work), { model: "v" }));
      const pieces = [];
      let step = body.next();
      for (; step.done !== true; step = body.next()) pieces.push(step.value);
      expect(pieces.length).toBeGreaterThan(0);
      expect(step.value.includes(wire === "image-edits" ? png : base64)).toBe(true);
      if (wire !== "image-edits") expect(() => JSON.parse(step.value?.toString() ?? "")).not.toThrow();
    },
  );

  test.each([
    ["a stray character", `${base64.slice(0, megabyte)}!${base64.slice(megabyte + 1)}`],
    ["padding in the middle", `${base64.slice(0, megabyte)}=${base64.slice(megabyte + 1)}`],
    ["an additional character", `${base64.replace(/=+$/, "")}A`],
  ])("with %s is refused", (_, image) => {
    expect(() => runToEnd(decodeImages(parsedRequest(image)))).toThrow(expect.objectContaining({ param: "image" }));
  });

  test("of another kind is refused before decoding", () => {
    expect(() => parsedRequest("A".repeat(megabyte))).toThrow(expect.objectContaining({ param: "image" }));
  });
});
