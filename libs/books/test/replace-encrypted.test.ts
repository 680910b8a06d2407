import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readVendorKeys, replaceEncrypted, saveConfiguration } from "../src/index.ts";
import { changedAfterReading, engines, newBooks, type TestEngine } from "./engines.ts";

/** More than a page. */
const allIds = Array.from({ length: 520 }, (_, at) => `key-${String(at).padStart(4, "0")}`);

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  async function booksWithKeys(ids: readonly string[]) {
    const books = await newBooks(engine);
    const keys = ids.map((id) => ({ id, sealed: "old" }));
    await saveConfiguration(books, { document: "groups: {}", note: "", keys, basedOn: 0 }, "ann");
    const sealed = async () => (await readVendorKeys(books, ids)).map((key) => key.sealed);
    return { books, sealed };
  }

  test("each row of all pages is replaced, left or counted as unreadable", async () => {
    const { books, sealed } = await booksWithKeys(allIds);
    await using _books = books;
    const kept = new Set([allIds[3], allIds[510]]);
    const unreadable = new Set([allIds[9], allIds[501], allIds[519]]);
    const received: string[] = [];
    const result = await replaceEncrypted(books, "vendor_keys", (text, id) => {
      received.push(id);
      return unreadable.has(id) ? undefined : kept.has(id) ? text : `new of ${id}`;
    });
    expect(received).toEqual(allIds);
    expect(result).toEqual({ replaced: 515, unreadable: 3, examples: [...unreadable] });
    const after = await sealed();
    expect(after.filter((text) => text === "old")).toHaveLength(5);
    expect(new Set(after).size).toBe(516);
  });

  const ids = allIds.slice(0, 10);

  test.each<[string, string | undefined, object]>([
    ["another ciphertext is replaced", "other", { replaced: 10, unreadable: 0, examples: [] }],
    ["the same replacement by another process is left", "new", { replaced: 9, unreadable: 0, examples: [] }],
    ["an unreadable text is counted", "broken", { replaced: 9, unreadable: 1, examples: [ids[7]] }],
    ["a deleted row is not counted", undefined, { replaced: 9, unreadable: 0, examples: [] }],
  ])("a row that changes meanwhile is read again: %s", async (_, change, expected) => {
    const { books, sealed } = await booksWithKeys(ids);
    await using _books = books;
    const keys = books.db
      .updateTable("vendor_keys")
      .set({ sealed: change ?? "" })
      .where("id", "=", ids[7] ?? "");
    const changing = changedAfterReading(books, 1, async () => {
      if (change !== undefined) await keys.execute();
      else
        await books.db
          .deleteFrom("vendor_keys")
          .where("id", "=", ids[7] ?? "")
          .execute();
    });
    const result = await replaceEncrypted(changing, "vendor_keys", (text) => (text === "broken" ? undefined : "new"));
    expect(result).toEqual(expected);
    expect(new Set(await sealed())).toEqual(new Set(change === "broken" ? ["new", "broken"] : ["new"]));
  });

  test("a row that changes at each attempt is counted, and the attempts end", async () => {
    const { books } = await booksWithKeys(ids);
    await using _books = books;
    let changes = 0;
    const changing = changedAfterReading(books, 1_000, async () => {
      const sealed = `changed ${++changes}`;
      await books.db
        .updateTable("vendor_keys")
        .set({ sealed })
        .where("id", "=", ids[7] ?? "")
        .execute();
    });
    const replace = (text: string, id: string) => (id === ids[7] ? "new" : text);
    expect(await replaceEncrypted(changing, "vendor_keys", replace)).toMatchObject({ unreadable: 1, replaced: 0 });
    expect(changes).toBeLessThan(20);
  });
});
