import { MutationObserver, QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { mutationOptions } from "../src/parts/use-change.tsx";

test.each([
  { answer: "success", change: () => Promise.resolve() },
  { answer: "an error", change: () => Promise.reject(new Error("the audit log has no entry of it")) },
])("after $answer, the queries of a change are read again", async ({ change }) => {
  const queries = new QueryClient();
  queries.setQueryData(["channels", 1], "before");
  queries.setQueryData(["models"], "before");
  await new MutationObserver(queries, mutationOptions(queries, { change, changes: ["channels"] }))
    .mutate()
    .catch(() => undefined);
  expect(queries.getQueryState(["channels", 1])?.isInvalidated).toBe(true);
  expect(queries.getQueryState(["models"])?.isInvalidated).toBe(false);
});
