import { expect, test } from "vitest";
import { environmentPage, firstVariables } from "../generate/environment.ts";

test("the reference starts with the most important variables, and has every variable once for each default", async () => {
  const page = await environmentPage();
  const [, begin = "", ...rest] = page.split("\n## ");
  const namesIn = (text: string): readonly string[] =>
    [...text.matchAll(/^\| `(.+?)` \|/gm)].map(([, name = ""]) => name);
  expect(namesIn(begin)).toEqual(firstVariables);
  expect(firstVariables.length).toBe(10);
  const others = rest.flatMap(namesIn);
  expect(others).toContain("<NAME>_OPS_PORT");
  expect(others.filter((name) => firstVariables.includes(name))).toEqual([]);
  const defaultsApart = ["BODY_BYTES"];
  expect(others.filter((name, at) => others.indexOf(name) !== at).toSorted()).toEqual(defaultsApart);
});
