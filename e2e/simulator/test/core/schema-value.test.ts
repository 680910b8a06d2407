import { expect, test } from "vitest";
import { valueFor } from "../../src/core/schema-value.ts";

const { MIN_SAFE_INTEGER: minimum, MAX_SAFE_INTEGER: maximum } = Number;

test.each([
  [{}, 1],
  [{ minimum: 0 }, 0],
  [{ exclusiveMinimum: 4 }, 5],
  [{ maximum: -2 }, -2],
  [{ exclusiveMaximum: 0 }, -1],
  // Bounds that zod writes.
  [{ minimum, maximum }, 1],
  [{ minimum, exclusiveMinimum: 0, maximum }, 1],
  [{ exclusiveMinimum: minimum, minimum: 7 }, 7],
])("the integer generated for %j is %d", (bounds, value) => {
  expect(valueFor({ type: "integer", ...bounds })).toBe(value);
});
