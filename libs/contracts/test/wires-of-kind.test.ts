import { expect, test } from "vitest";
import { upstreamWires } from "../src/upstream-wires.ts";
import { wiresOfKind } from "../src/wires-of-kind.ts";

test("every wire that a model is called in belongs to a kind of model", () => {
  const otherWires = ["compact", "count-responses", "count-messages", "count-content"];
  expect([...new Set(Object.values(wiresOfKind).flat()), ...otherWires].toSorted()).toEqual(upstreamWires.toSorted());
});
