import { expect, test } from "vitest";
import { withFallbackNames } from "../src/fallback-models.ts";

const tools = '[{"name":"f","input_schema":{"maximum":9223372036854775807}}]';

test.each([
  ['[{"model":"opus"}]', '[{"model":"claude-opus-4-8"}]'],
  ['[ {"model":"claude-opus-4-8"} ]', '[ {"model":"claude-opus-4-8"} ]'],
])("fallbacks %s are sent as %s, and the bytes of tools without a model are unchanged", async (fallbacks, sent) => {
  const body = (list: string) => `{"tools":${tools},"fallbacks":${list}}`;
  const channel = { models: new Map([["opus", "claude-opus-4-8"]]) };
  const renamed = await withFallbackNames(Buffer.from(body(fallbacks)), channel, () => "opus");
  expect(renamed.toString()).toBe(body(sent));
});
