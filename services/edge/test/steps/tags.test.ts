import { expect, test } from "vitest";
import { readTags } from "../../src/steps/tags.ts";
import { callOf, run } from "./call.ts";

test("the tags of a call are kept for the books", async () => {
  const call = callOf({ headers: { "x-modelgate-tags": "team=a, job=b" } });
  expect(await run(call, readTags)).toBe(true);
  expect(call.context.tags).toEqual({ team: "a", job: "b" });
});

test("a call without tags goes on", async () => {
  const call = callOf();
  expect(await run(call, readTags)).toBe(true);
  expect(call.context.tags).toBeUndefined();
});

test("tags that cannot be read are refused (400)", async () => {
  await expect(run(callOf({ headers: { "x-modelgate-tags": "=" } }), readTags)).rejects.toMatchObject({ status: 400 });
});
