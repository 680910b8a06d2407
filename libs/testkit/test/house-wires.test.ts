import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const [, names = ""] =
  /textWireNames = \[(.*)\]/.exec(readFileSync(join(root, "libs/contracts/src/upstream-wires.ts"), "utf8")) ?? [];
const wires = [...names.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name);
/** Folders that may name several wires: vendors list their wires, and a test vendor renders their answers. */
const exclude = ["libs/providers/**", "libs/testkit/**", "services/console/**"];
const files = globSync("{libs,services}/*/src/**/*.ts", { cwd: root, exclude }).map((file) => ({
  file,
  text: readFileSync(join(root, file), "utf8"),
}));

/** Returns the files in which at least three of the text wires match. */
const filesWith = (pattern: (wire: string) => RegExp): readonly string[] =>
  files
    .filter(({ text }) => wires.filter((wire) => pattern(wire).test(text)).length >= 3)
    .map(({ file }) => file)
    .toSorted();

describe("a text wire is one folder, and one line of its registry", () => {
  test("no other table has a row for each wire", () => {
    expect(wires).toContain("interactions");
    expect(filesWith((wire) => new RegExp(`^\\s+${wire}: `, "m"))).toEqual([
      "libs/contracts/src/endpoints/text.ts", // three endpoints have the name of their wire
      "libs/contracts/src/failures/frames.ts", // formats of error events, which rows of endpoints name
      "libs/contracts/src/openapi/possible-failures.ts", // the same endpoints
      "libs/wires/src/text/wires.ts",
    ]);
  });

  test("no other list has the wires' names", () => {
    const listed = /\[[^[\]]*\]/g;
    const lists = files.filter(({ text }) =>
      (text.match(listed) ?? []).some((list) => wires.filter((wire) => list.includes(`"${wire}"`)).length >= 3),
    );
    expect(lists.map(({ file }) => file).toSorted()).toEqual(["libs/contracts/src/upstream-wires.ts"]);
  });

  test("no code outside the wires' folders compares with three of them by name", () => {
    expect(filesWith((wire) => new RegExp(`\\bwire [!=]== "${wire}"`))).toEqual([]);
  });
});
