import { expect, test } from "vitest";
import type { TextClient } from "../src/text/index.ts";
import { wires } from "../src/text/index.ts";

test.each<["chat" | "messages" | "content", Record<string, unknown>, string | undefined]>([
  ["chat", { user: "ann" }, "ann"],
  ["chat", { user: "ann", safety_identifier: "hash" }, "hash"],
  ["chat", { user: "ann", safety_identifier: null }, "ann"],
  ["chat", { metadata: { user_id: "ann" } }, undefined],
  ["messages", { metadata: { user_id: "ann" } }, "ann"],
  ["messages", { user: "ann", metadata: "ann" }, undefined],
  ["chat", { user: { id: "ann" } }, undefined],
  ["content", { user: "ann" }, undefined],
])("a request of %s names in %j the end user %s", (wire, body, endUser) => {
  const { client }: { readonly client: TextClient } = wires[wire];
  expect(client.endUser?.(body)).toBe(endUser);
});
