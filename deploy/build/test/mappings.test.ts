import { SourceMap } from "node:module";
import { expect, test } from "vitest";
import { findPositions } from "../mappings.ts";

/**
 * Lines of a map: empty, with a segment without a source and one with a name, with numbers of several digits and
 * smaller values.
 */
const mappings = ";AAAA,IACC,C,EAAEA;ACgkBhBC,gCA3hB2B;ADsDrB,EAAE";
const sources = ["one.ts", "two.ts"];

test("positions are those that Node's reader finds", () => {
  const reader = new SourceMap({
    version: 3,
    file: "bundle.js",
    sources,
    sourcesContent: [],
    names: ["a", "b"],
    mappings,
    sourceRoot: "",
  });
  const places = [1, 2, 3].flatMap((line) => [0, 3, 4, 5, 7, 40, 900].map((column) => ({ line, column })));
  const expected = places.map(({ line, column }) => {
    const entry = reader.findEntry(line, column);
    const isKnown = "originalSource" in entry && sources.includes(entry.originalSource);
    return isKnown ? [entry.originalSource, entry.originalLine, entry.originalColumn] : undefined;
  });
  const found = findPositions(mappings, places);
  expect(found.map((at) => at && [sources[at.source], at.line, at.column])).toEqual(expected);
});

test("lines without mappings have no positions", () => {
  expect(
    findPositions(mappings, [
      { line: 0, column: 5 },
      { line: 9, column: 0 },
    ]),
  ).toEqual([undefined, undefined]);
});
