import { expect, test } from "vitest";
import { checkBehaviour, directiveIn } from "../src/behaviour.ts";

test.each([
  [{ colour: "red" }, "colour is not a known field"],
  [{ delayMs: "long" }, "delayMs must be integer"],
  [{ toolCalls: [{ name: "f", arguments: 3 }] }, "toolCalls.0.arguments must be string"],
  [[], "it must be object"],
])("%j is not a valid behaviour: %s", (value, wrong) => {
  expect(checkBehaviour(value)).toEqual({ wrong });
});

test("a directive is found in a text, and its errors are reported", () => {
  expect(directiveIn('Hi {{simulate: {"text": "a } b"}}} there')).toEqual({ behaviour: { text: "a } b" } });
  expect(directiveIn('Hi {{simulate: {"colour": 1}}}')).toEqual({ wrong: "colour is not a known field" });
  expect(directiveIn("Hi {{simulate: {no}}}")).toEqual({ wrong: "the directive is not valid JSON" });
  expect(directiveIn("Hi")).toBeUndefined();
});
