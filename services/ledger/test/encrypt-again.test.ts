import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bookAlertTarget, findAlertTarget, readVendorKeys, saveConfiguration, type Books } from "@modelgate/books";
import { alertTargetPurpose, storedVendorKeysPurpose } from "@modelgate/contracts";
import { createLogger, makeCipher, type Secrets } from "@modelgate/platform";
import { encryptAgain } from "../src/encrypt-again.ts";
import { engines, type TestEngine } from "./engines.ts";

const [old, next] = ["the old secret of the gateway", "the next secret of the gateway"];
const { log } = createLogger("ledger", "silent");

describe.each(engines)("books in $name", ({ start }) => {
  let engine: TestEngine;
  let books: Books;
  beforeAll(async () => {
    engine = await start();
    books = await engine.emptyBooks();
  });
  afterAll(async () => {
    await books?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  const seal = (secrets: Secrets, purpose: string, id: string) => makeCipher(secrets, purpose).encrypt(`of ${id}`, id);
  const sealedKeys = async () =>
    new Map((await readVendorKeys(books, ["k1", "k2", "k3"])).map(({ id, sealed }) => [id, sealed]));

  test("data of an earlier secret is encrypted with the secret in use, other data stays", async () => {
    const keys = [
      { id: "k1", sealed: seal([old], storedVendorKeysPurpose, "k1") },
      { id: "k2", sealed: seal([next], storedVendorKeysPurpose, "k2") },
      { id: "k3", sealed: seal(["a lost secret"], storedVendorKeysPurpose, "k3") },
    ];
    await saveConfiguration(books, { document: "groups: {}", note: "", keys, basedOn: 0 }, "ann");
    const createdAt = "2026-11-27T10:00:00.000Z";
    const target = { id: "trg_1", account: "", kind: "webhook", name: "ops", address: "a", createdAt } as const;
    await bookAlertTarget(books, { target, sealed: seal([old], alertTargetPurpose, "trg_1") }, "ann");

    await encryptAgain(books, [next], log);
    expect((await sealedKeys()).get("k1")).toBe(keys[0]?.sealed);

    await encryptAgain(books, [next, old], log);
    const after = await sealedKeys();
    const inUse = makeCipher([next], storedVendorKeysPurpose);
    expect(inUse.decrypt(after.get("k1") ?? "", "k1")).toBe("of k1");
    expect([after.get("k2"), after.get("k3")]).toEqual([keys[1]?.sealed, keys[2]?.sealed]);
    const { sealed = "" } = (await findAlertTarget(books, "trg_1")) ?? {};
    expect(makeCipher([next], alertTargetPurpose).decrypt(sealed, "trg_1")).toBe("of trg_1");

    await encryptAgain(books, [next, old], log);
    expect(await sealedKeys()).toEqual(after);
  });
});
