import { expect, test } from "vitest";
import { parseAnyAnswer } from "../src/answers/read-answer.ts";

test.each([
  ['{"id":"1"}', { id: "1" }],
  ["[1,2]", { data: [1, 2] }],
])("the answer %s is read", async (text, answer) => {
  expect(await parseAnyAnswer(Buffer.from(text))).toEqual(answer);
});

test.each(["", "{", "[]", "1", '"text"', "null", '{"error":{}}'])("the answer %j is a failure", async (text) => {
  await expect(parseAnyAnswer(Buffer.from(text))).rejects.toMatchObject({ code: "upstream_error" });
});
