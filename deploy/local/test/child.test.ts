import { expect, test } from "vitest";
import { spawnGuarded } from "../child.ts";

test("the end of a guarded program is noticed immediately, however short it runs", async () => {
  for (let round = 0; round < 5; round++) {
    const children = Array.from({ length: 10 }, () => spawnGuarded({ name: "short", command: "/bin/false", args: [] }));
    expect(new Set(await Promise.all(children.map(({ ended }) => ended)))).toEqual(new Set([1]));
    expect(children.map((child) => child.logs()).join("")).toBe("");
  }
});
