import { expect, test } from "vitest";
import { klingToken } from "../../src/kling/video.ts";

test("the vendor's token at a known time", () => {
  expect(klingToken("AKEXAMPLE", "SKEXAMPLE", 1_763_700_000)).toBe(
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJBS0VYQU1QTEUiLCJleHAiOjE3NjM3MDE4MDAsIm5iZiI6MTc2MzY5OTk5NX0.t3--yxek-CdUsYHYxZZdqCKgfVLS-m59wxpcHbbTnGs",
  );
});
