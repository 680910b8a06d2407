import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { beginSession } from "../src/parts/begin-session.ts";

test("a sign-in removes what an earlier person has read, such as the key of the playground", () => {
  const queries = new QueryClient();
  queries.setQueryData(["playground-key", "acme"], "sk-of-ada");
  const session = { name: "bob", role: "viewer", account: "acme", email: null } as const;
  beginSession(queries, session);
  expect(queries.getQueriesData({})).toEqual([[["session"], session]]);
  queries.clear();
});
