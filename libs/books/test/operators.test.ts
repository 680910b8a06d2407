import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  saveConfiguration,
  bookOperator,
  bookOperatorKey,
  changeOperator,
  deleteOperatorKey,
  listConfigurations,
  listOperators,
  readAudit,
  readConfiguration,
  readOperator,
  readOperatorKeys,
  readVendorKeys,
  type Books,
} from "../src/index.ts";
import { engines, newBooks, type TestEngine } from "./engines.ts";

const act = { actor: "ada", action: "operator.create", account: "", after: null } as const;

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
    books = await newBooks(engine);
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  test("of two versions that were derived from one, one is written", async () => {
    const save = (document: string, basedOn: number) =>
      saveConfiguration(
        books,
        { document, note: "why", keys: [{ id: `key-of-${document}`, sealed: "sealed" }], basedOn },
        "ada",
      );
    const first = await Promise.all([save("a", 0), save("b", 0), save("c", 0)]);
    expect(first.filter((saved) => saved !== undefined)).toHaveLength(1);
    const [won] = first.flatMap((saved) => (saved === undefined ? [] : [saved.document]));
    expect(await readConfiguration(books, undefined)).toMatchObject({ version: 1, document: won, actor: "ada" });
    expect(await save("later", 0)).toBeUndefined();
    expect(await save("second", 1)).toMatchObject({ version: 2 });
    expect(await listConfigurations(books, { limit: 10, before: undefined })).toMatchObject([
      { version: 2, note: "why" },
      { version: 1 },
    ]);
    // Keys of versions that were not stored are not stored either.
    const keys = await readVendorKeys(books, ["key-of-a", "key-of-b", "key-of-c"]);
    expect(keys).toEqual([{ id: `key-of-${won}`, sealed: "sealed" }]);
    expect((await readAudit(books, { accounts: [""], limit: 10 })).map(({ action }) => action)).toEqual([
      "configuration.save",
      "configuration.save",
    ]);
  });

  test("operators are created once, changed by field, and keys are found by their digest until deleted", async () => {
    expect(await bookOperator(books, { name: "ada", record: { role: "admin", password: "x" } }, act)).toBe(true);
    expect(await bookOperator(books, { name: "ada", record: { role: "viewer" } }, act)).toBe(false);
    expect(await changeOperator(books, { name: "ada", record: { role: "viewer" } }, act)).toEqual({
      name: "ada",
      record: { role: "viewer", password: "x" },
    });
    expect(await changeOperator(books, { name: "bob", record: {} }, act)).toBeUndefined();
    expect(await readOperator(books, "ada")).toMatchObject({ record: { role: "viewer" } });
    expect((await listOperators(books)).map(({ name }) => name)).toEqual(["ada"]);
    await bookOperatorKey(books, { id: "k1", digest: "d1", record: { role: "viewer" } }, act);
    expect(await readOperatorKeys(books, "d1")).toEqual([{ id: "k1", digest: "d1", record: { role: "viewer" } }]);
    expect(await readOperatorKeys(books, "d2")).toEqual([]);
    expect(await deleteOperatorKey(books, "k1", act)).toBe(true);
    expect(await deleteOperatorKey(books, "k1", act)).toBe(false);
    expect(await readOperatorKeys(books)).toEqual([]);
  });
});
