import { expect, test } from "vitest";
import { readTags } from "../../src/steps/tags.ts";
import { callOf, run } from "./call.ts";

test("the tags of a call are stored for its usage event", async () => {
  const call = callOf({ headers: { "x-modelgate-tags": "team=a, job=b" } });
  expect(await run(call, readTags)).toBe(true);
  expect(call.context.tags).toEqual({ team: "a", job: "b" });
});

test("a call without tags is accepted", async () => {
  const call = callOf();
  expect(await run(call, readTags)).toBe(true);
  expect(call.context.tags).toBeUndefined();
});

test("malformed tags are refused (400)", async () => {
  await expect(run(callOf({ headers: { "x-modelgate-tags": "=" } }), readTags)).rejects.toMatchObject({ status: 400 });
});
