import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readVendorKeys, replaceEncrypted, saveConfiguration } from "../src/index.ts";
import { engines, newBooks, type TestEngine } from "./engines.ts";

/** More than a page. */
const ids = Array.from({ length: 520 }, (_, at) => `key-${String(at).padStart(4, "0")}`);

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  async function booksWithKeys() {
    const books = await newBooks(engine);
    const keys = ids.map((id) => ({ id, sealed: "old" }));
    await saveConfiguration(books, { document: "groups: {}", note: "", keys, basedOn: 0 }, "ann");
    const sealed = async () => (await readVendorKeys(books, ids)).map((key) => key.sealed);
    return { books, sealed };
  }

  test("each row of all pages is replaced, left or counted as remaining", async () => {
    const { books, sealed } = await booksWithKeys();
    await using _books = books;
    const kept = new Set([ids[3], ids[510]]);
    const unreadable = new Set([ids[9], ids[501], ids[519]]);
    const seen: string[] = [];
    const result = await replaceEncrypted(books, "vendor_keys", (text, id) => {
      seen.push(id);
      return unreadable.has(id) ? undefined : kept.has(id) ? text : `new of ${id}`;
    });
    expect(seen).toEqual(ids);
    expect(result).toEqual({ replaced: 515, remaining: 3 });
    const after = await sealed();
    expect(after.filter((text) => text === "old")).toHaveLength(5);
    expect(new Set(after).size).toBe(516);
  });

  test("a row that changes while it is replaced keeps the other value", async () => {
    const { books, sealed } = await booksWithKeys();
    await using _books = books;
    const replaceWith = (letter: string) => replaceEncrypted(books, "vendor_keys", (text) => text + letter);
    const results = await Promise.all([replaceWith("+"), replaceWith("-")]);
    const changes = (await sealed()).reduce((sum, text) => sum + text.length - "old".length, 0);
    expect(results.reduce((sum, { replaced }) => sum + replaced, 0)).toBe(changes);
    for (const { replaced, remaining } of results) expect(replaced + remaining).toBe(ids.length);
    expect(results.reduce((sum, { remaining }) => sum + remaining, 0)).toBeGreaterThan(0);
  });
});
