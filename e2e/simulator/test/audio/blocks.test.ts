import { expect, test } from "vitest";
import { inBlocks } from "../../src/audio/blocks.ts";

const samples = Int16Array.from({ length: 10 }, (_, at) => at);

test.each([
  ["pieces as they come", [4, 6], 4, [4, 4, 2]],
  ["a piece of several blocks", [10], 3, [3, 3, 3, 1]],
  ["many pieces of one block", [1, 1, 1, 7], 5, [5, 5]],
  ["less than a block", [10], 20, [10]],
  ["nothing", [], 4, []],
])("%s", (_, pieces, size, sizes) => {
  let at = 0;
  const blocks = [
    ...inBlocks(
      pieces.map((length) => samples.subarray(at, (at += length))),
      size,
    ),
  ];
  expect(blocks.map(({ length }) => length)).toEqual(sizes);
  expect(blocks.flatMap((block) => [...block])).toEqual([...samples.subarray(0, at)]);
});
