import { expect, test } from "vitest";
import { wires } from "../src/text/index.ts";

const chatPiece = (rest: string): string => `data: {"choices":[{"index":0,${rest}}]}\n\n`;
const event = (type: string, rest: string): string => `event: ${type}\ndata: {"type":"${type}",${rest}}\n\n`;
const blockDelta = event("content_block_delta", '"index":0,"delta":{"type":"text_delta","text":"a"}');

const cases = {
  chat: [
    [chatPiece('"delta":{"content":"a"},"finish_reason":null'), true],
    [`: keep-alive\n\n${chatPiece('"delta":{"content":"the \\"usage\\" of [DONE"}')}`, true],
    ['data: {"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null}\n\n', true],
    ['data: {"choices":[{"index":0,"delta":{"content":"a"}}],"usage": null}\n\n', false],
    [chatPiece('"delta":{},"finish_reason":"stop"'), false],
    ['data: {"usage"}\n\n', false],
    ['data: {"choices":[],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1}}\n\n', false],
    ['data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n', false],
    ['data: {"error":{"message":"no"}}\n\n', false],
    ["data: [DONE]\n\n", false],
  ],
  messages: [
    [blockDelta, true],
    [`${event("ping", '"at":1')}${blockDelta}`, true],
    [event("content_block_start", '"index":0,"content_block":{"type":"text","text":""}'), false],
    [event("content_block_stop", '"index":0'), false],
    [event("message_delta", '"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}'), false],
    [event("error", '"error":{"type":"overloaded_error"}'), false],
    [event("message_stop", '"at":1'), false],
  ],
} as const satisfies Record<string, readonly (readonly [string, boolean])[]>;

test.each(
  (["chat", "messages"] as const).flatMap((wire) => cases[wire].map(([frames, only]) => [wire, frames, only] as const)),
)("%s: %j contains only output: %s", (wire, frames, only) => {
  const { pass } = wires[wire];
  const start = cases[wire][0][0];
  expect(pass.indexOfNotable?.(Buffer.from(frames))).toSatisfy((index: number) => index < 0 === only);
  const index = pass.indexOfNotable?.(Buffer.from(start + frames));
  expect(index).toSatisfy((found: number) => (only ? found < 0 : found >= start.length));
  if (only)
    expect(pass.inspect(Buffer.from(frames))).toMatchObject({ usageOnly: false, done: false, failure: undefined });
});
