import { expect, test } from "vitest";
import { hashPassword, passwordMatches } from "../../src/operators/passwords.ts";

test("a password matches only its hash, and each hash has a separate salt", async () => {
  const [one, other] = [await hashPassword("correct horse battery"), await hashPassword("correct horse battery")];
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(other);
  expect(await passwordMatches("correct horse battery", one)).toBe(true);
  expect(await passwordMatches("correct horse batterz", one)).toBe(false);
  expect(await passwordMatches("", one)).toBe(false);
});

test("nothing matches a missing hash, and a hash is not accepted as the password", async () => {
  const hash = await hashPassword("correct horse battery");
  expect(await passwordMatches("correct horse battery", undefined)).toBe(false);
  expect(await passwordMatches(hash, hash)).toBe(false);
  expect(await passwordMatches("x", "plain text")).toBe(false);
});

test.each(["short", "x".repeat(201)])("a password of a wrong length is refused", async (password) => {
  await expect(hashPassword(password)).rejects.toMatchObject({ param: "password" });
});
