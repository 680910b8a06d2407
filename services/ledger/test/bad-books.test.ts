import { expect, test } from "vitest";
import { ChildEnded, startServiceAlone } from "@modelgate/testkit";

/** Addresses without a server, because the ledger opens the books first. */
const unreachableStores = {
  REDIS_URL: "redis://127.0.0.1:1",
  NATS_URL: "nats://127.0.0.1:1",
  MODELGATE_SECRET: "a secret of the tests, long enough",
  LOG_LEVEL: "warn",
};

// The reasons are tested in libs/books/test/open.test.ts.
test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    "SQLite",
    { MODELGATE_DATA: "/dev/null" },
    /ledger: The books at \/dev\/null\/books\.sqlite cannot be used: the data folder is not a folder/,
  ],
  ["PostgreSQL", { BOOKS_URL: "mysql://host/books" }, /ledger: BOOKS_URL is not the address of a PostgreSQL/],
])(
  "a start with unusable books in %s ends with one line and the status of a wrong configuration",
  async (_, env, why) => {
    const error: unknown = await startServiceAlone("ledger", { ...unreachableStores, ...env }).then(
      (ledger) => ledger.stop(),
      (error: unknown) => error,
    );
    if (!(error instanceof ChildEnded)) throw new Error("the ledger has started", { cause: error });
    expect(error.status).toBe(78);
    expect(error.logs.trim()).toMatch(why);
    expect(error.logs.trim()).not.toContain("\n");
  },
);
