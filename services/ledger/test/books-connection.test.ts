import { expect, test } from "vitest";
import { createLogger } from "@modelgate/platform";
import { connectBooks } from "../src/books-connection.ts";

test("a query that takes too long for the books is refused with advice", async () => {
  await using connection = await connectBooks({ file: ":memory:" }, createLogger("test", "silent").log);
  const canceled = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
  await expect(connection.use(() => Promise.reject(canceled))).rejects.toMatchObject({
    code: "server_overloaded",
    message: expect.stringContaining("choose a shorter period"),
    cause: canceled,
  });
  // A change that waits for a lock gets no advice about periods.
  await expect(connection.useDuringMove(() => Promise.reject(canceled))).rejects.toBe(canceled);
});
