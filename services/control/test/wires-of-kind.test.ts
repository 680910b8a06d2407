import { upstreamWires } from "@modelgate/contracts";
import { expect, test } from "vitest";
import { wiresOfKind } from "../src/wires-of-kind.ts";

test("every wire that a model is called in is for some kind", () => {
  const beside = ["compact", "count-messages", "count-content"];
  expect([...new Set(Object.values(wiresOfKind).flat()), ...beside].toSorted()).toEqual(upstreamWires.toSorted());
});
