import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bookToken, type Books } from "../src/index.ts";
import { engines, newBooks, type TestEngine } from "./engines.ts";

describe.each(engines)("tokens in $name", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
    books = await newBooks(engine);
  }, 60_000);
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  test("an account has at most the maximum, including disabled ones", async () => {
    const book = (id: string, account: string, max?: number) =>
      bookToken(books, { account, id, digest: id.repeat(8), record: { disabled: true }, max }, "ada");
    expect(await book("tok_1", "acme", 2)).toMatchObject({ created: true });
    expect(await book("tok_2", "acme", 2)).toMatchObject({ created: true });
    expect(await book("tok_3", "acme", 2)).toBeUndefined();
    expect(await book("tok_4", "rival", 2)).toMatchObject({ created: true });
    expect(await book("tok_5", "acme")).toMatchObject({ created: true });
  });
});
