import { describe, expect, test } from "vitest";
import { Failure, type Caller } from "@modelgate/contracts";
import { isOperator, signOperator } from "@modelgate/contracts/operator-credential";
import { idSource, isRequestId } from "../src/tracing.ts";
import { makeCipher } from "../src/cipher.ts";
import { signCaller, verifyCaller } from "../src/secrets.ts";

describe("headers that the edge signs", () => {
  const caller: Caller = { accountId: "a", tokenId: "t", group: "g", requestId: "r", expiresAt: 100 };
  const signed = signCaller("secret", caller);
  const [text = "", signature = ""] = signed.split(".");

  test("are read unchanged", () => {
    expect(verifyCaller(["secret"], signed, 99)).toEqual(caller);
  });

  test.each([
    ["another secret", () => verifyCaller(["other"], signed, 99)],
    ["an expired time", () => verifyCaller(["secret"], signed, 101)],
    ["nothing", () => verifyCaller(["secret"], undefined, 99)],
    ["no signature", () => verifyCaller(["secret"], text, 99)],
    [
      "another caller's data under the signature",
      () =>
        verifyCaller(
          ["secret"],
          `${Buffer.from(JSON.stringify({ ...caller, accountId: "b" })).toString("base64url")}.${signature}`,
          99,
        ),
    ],
    ["a missing member", () => verifyCaller(["secret"], signCaller("secret", { expiresAt: 100 } as Caller), 99)],
  ])("are refused with %s", (_, verify) => {
    expect(verify).toThrow(Failure);
  });

  test("may have members that only later versions know", () => {
    const later = { ...caller, added: true, budgets: { tokenPerDay: "1", added: "2" } };
    expect(verifyCaller(["secret"], signCaller("secret", later), 99)).toEqual(later);
  });

  test("are verified once for each list of secrets, and until they expire", () => {
    const secrets = ["secret"] as const;
    const header = signCaller("secret", { ...caller, requestId: "" });
    const first = verifyCaller(secrets, header, 99);
    expect(verifyCaller(secrets, header, 100)).toBe(first);
    expect(() => verifyCaller(secrets, header, 101)).toThrow(Failure);
    expect(() => verifyCaller(secrets, `${header}A`, 99)).toThrow(Failure);
    expect(() => verifyCaller(["other"], header, 99)).toThrow(Failure);
  });

  test.each([
    ["tags", { tags: { job: "a" } }],
    ["a client's address", { clientAddress: "192.0.2.1" }],
    ["the id of a call, from an edge of an earlier version", { requestId: "r" }],
    ["a long list of models", { models: Array.from({ length: 500 }, (_, at) => `model-${at}`) }],
  ])("are verified for each call if they have %s", (_, details) => {
    const secrets = ["secret"] as const;
    const header = signCaller("secret", { ...caller, requestId: "", ...details });
    expect(verifyCaller(secrets, header, 99)).toEqual(verifyCaller(secrets, header, 99));
    expect(verifyCaller(secrets, header, 99)).not.toBe(verifyCaller(secrets, header, 99));
  });

  test("are accepted with either secret of a rotation, and signed with the current one", () => {
    expect(verifyCaller(["next", "secret"], signed, 99)).toEqual(caller);
    expect(isOperator(["next", "secret"], signOperator("secret", 100), 99)).toBe(true);
    expect(() => verifyCaller(["next"], signed, 99)).toThrow(Failure);
  });

  test("are not accepted as the operator's credential, and the credential not as the edge's headers", () => {
    const credential = signOperator("secret", 100);
    expect([
      isOperator(["secret"], credential, 99),
      isOperator(["secret"], credential, 101),
      isOperator(["other"], credential, 99),
      isOperator(["secret"], signed, 99),
      isOperator(["secret"], "", 0),
    ]).toEqual([true, false, false, false, false]);
    expect(() => verifyCaller(["secret"], credential, 99)).toThrow(Failure);
  });
});

test("an encrypted text is decrypted with either secret of a rotation, and only for its purpose and context", () => {
  const sealed = makeCipher(["old"], "keys").encrypt("text", "a");
  expect(makeCipher(["new", "old"], "keys").decrypt(sealed, "a")).toBe("text");
  expect(makeCipher(["old", "new"], "keys").decrypt(sealed, "a")).toBe("text");
  for (const open of [
    () => makeCipher(["new"], "keys").decrypt(sealed, "a"),
    () => makeCipher(["old"], "others").decrypt(sealed, "a"),
    () => makeCipher(["old"], "keys").decrypt(sealed, "b"),
    () => makeCipher(["old"], "keys").decrypt("", "a"),
  ])
    expect(open).toThrow();
});

test("a text is encrypted again with the first secret of a rotation, unless this secret has encrypted it", () => {
  const rotation = makeCipher(["new", "old"], "keys");
  const again = rotation.encryptAgain(makeCipher(["old"], "keys").encrypt("text", "a"), "a");
  expect(makeCipher(["new"], "keys").decrypt(again, "a")).toBe("text");
  expect(rotation.encryptAgain(again, "a")).toBe(again);
  expect(() => rotation.encryptAgain(makeCipher(["other"], "keys").encrypt("text", "a"), "a")).toThrow();
});

test("ids do not repeat, and a client's id is kept only if its characters are safe", () => {
  const next = idSource("req");
  const ids = Array.from({ length: 1_000 }, next);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every(isRequestId)).toBe(true);
  expect(["a", "req-1/2:3", "x".repeat(128)].every(isRequestId)).toBe(true);
  expect(["", "a b", "x".repeat(129), "a\nb", "é", "-a"].some(isRequestId)).toBe(false);
});
