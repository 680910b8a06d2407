import { expect, test } from "vitest";
import { startSpan } from "@modelgate/platform";
import { callOf, FakeClient } from "../../../../libs/relay/test/fakes.ts";
import { storeAnswered } from "../../src/responses/store-answered.ts";

test("the last byte of a large response waits until it is stored, that of a small one does not", async () => {
  const call = {
    ...callOf(new FakeClient()),
    span: startSpan({ name: "test", kind: "server", parent: undefined }),
  };
  const saving = Promise.withResolvers<"stored">();
  const deps = { relay: { log: call.log }, responses: { save: () => saving.promise } };
  const answered = Promise.resolve({ id: "resp_1", stored: { response: {}, input: [], ancestors: [] } });
  const store = (answerBytes: number) =>
    storeAnswered(deps, call, answered, { bodyBytes: 1_000, answerBytes, isStored: true, addTurn: undefined });
  expect(store(1_000)).toBeUndefined();
  let isStored = false;
  const large = store(500_000)?.then(() => void (isStored = true));
  await answered;
  expect(isStored).toBe(false);
  saving.resolve("stored");
  await large;
  expect(isStored).toBe(true);
});
