import { expect, test } from "vitest";
import { transcriptOf } from "../../src/responses/transcript.ts";

test.each<readonly [string, object, string]>([
  ["a message", { role: "user", content: [{ type: "input_text", text: "Hi" }] }, "user: Hi"],
  ["a call", { type: "function_call", name: "f", call_id: "c", arguments: "{}" }, "assistant calls f (c): {}"],
  ["a result", { type: "function_call_output", call_id: "c", output: "rain" }, "result of c: rain"],
  ["reasoning", { type: "reasoning", encrypted_content: "x" }, ""],
  [
    "a result of a vendor's tool",
    { type: "shell_call_output", id: "sh_1", call_id: "c", output: [{ stdout: "7" }] },
    'shell_call_output: {"call_id":"c","output":[{"stdout":"7"}]}',
  ],
  [
    "a screenshot",
    { type: "computer_call_output", output: { image_url: "data:image/png;base64,AAAA" } },
    'computer_call_output: {"output":{"image_url":"[data]"}}',
  ],
  ["an image", { type: "image_generation_call", result: "AAAA" }, 'image_generation_call: {"result":"[data]"}'],
])("%s is in the transcript with its text", (_, item, text) => {
  expect(transcriptOf([{ ...item }])).toBe(text);
});

test.each(["compaction", "compaction_summary", "context_compaction", "item_reference"])(
  "a vendor's %s is refused, because its content is unknown",
  (type) => {
    expect(() => transcriptOf([{ type, id: "x_1", encrypted_content: "gAAAA" }])).toThrow("Only the vendor");
  },
);
