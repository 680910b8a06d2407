import { expect, test } from "vitest";
import { parseConfiguration } from "./read.ts";

const ten = (name: string) => `[${Array.from({ length: 10 }, () => name).join(", ")}]`;

test.each([
  ["an alias of nothing", "models: { chat: *nobody }", /nobody/],
  ["aliases that multiply", `a: &a ${ten("1")}\nb: &b ${ten("*a")}\nc: &c ${ten("*b")}\nd: ${ten("*c")}`, /alias/i],
  ["what is no YAML", "models: [", /flow/i],
  ["the same key twice", "models: {}\nmodels: {}", /unique/i],
  ["nothing", "", /object/],
])("%s is a problem like any other", (_, text, say) => {
  const { configuration, problems = [] } = parseConfiguration(text);
  expect(configuration).toBeUndefined();
  expect(problems.map((problem) => problem.say).join("\n")).toMatch(say);
});
