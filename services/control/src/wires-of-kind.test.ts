import { upstreamWires } from "@modelgate/contracts";
import * as wires from "@modelgate/wires";
import { expect, test } from "vitest";
import { realtimeWires, textWires, wiresOfKind } from "./wires-of-kind.ts";

test("the wires of text and of sessions are those that there are codecs for", () => {
  expect(textWires.toSorted()).toEqual(wires.textWires.toSorted());
  expect(realtimeWires).toEqual(wires.realtimeWires);
});

test("every wire that a model is called in is for some kind", () => {
  const beside = ["compact", "count-messages", "count-content"];
  expect([...new Set(Object.values(wiresOfKind).flat()), ...beside].toSorted()).toEqual(upstreamWires.toSorted());
});
