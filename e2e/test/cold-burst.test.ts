import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { another, config, post } from "./suite-client.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

test("500 simultaneous calls to a suite that has just started are all served", async () => {
  const answers = await Promise.all(Array.from({ length: 500 }, () => post(suite, another("fixed"))));
  const refused = await Promise.all(answers.filter(({ ok }) => !ok).map((answer) => answer.text()));
  expect(refused).toEqual([]);
});
