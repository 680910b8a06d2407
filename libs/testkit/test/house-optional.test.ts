import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const files = execFileSync("git", ["ls-files", "libs/*/src/*.ts", "services/*/src/*.ts"], { cwd: root })
  .toString()
  .trim()
  .split("\n");

/** Files that may use a conditional spread, with the reason. */
const filesWithSpread: Readonly<Record<string, string>> = {
  "libs/wires/src/text/hub/events.ts": "for each part of an answer",
  "libs/testkit/src/suite.ts": "of tests",
};

const spread = /\.\.\.\([^?]*=== undefined \? \{\} : \{/;

test("optional members are left out by withoutUndefined, not by a conditional spread", () => {
  const found = files.filter((file) => spread.test(readFileSync(join(root, file), "utf8")));
  expect(found.toSorted()).toEqual(Object.keys(filesWithSpread).toSorted());
});

test("only one function omits undefined members", () => {
  const declares = /\bfunction (?:present|withoutUndefined|definedOf)\b|fromEntries\([^;]*=> value !== undefined\)/;
  const found = files.filter((file) => declares.test(readFileSync(join(root, file), "utf8")));
  expect(found).toEqual(["libs/contracts/src/without-undefined.ts"]);
});
