import { expect, test } from "vitest";
import { linesIn } from "../../../src/video/hub/size.ts";

test.each([
  [{}, undefined],
  [{ size: "1280x720" }, 720],
  [{ size: "720*1280" }, 720],
  [{ size: "1024x1792" }, 1_024],
  [{ width: 1_920, height: 1_080 }, 1_080],
  [{ width: 1_080, height: 1_080 }, 1_080],
  // A shape wider than 16:9 counts as a 16:9 video with as many pixels.
  [{ width: 3_840, height: 700 }, 1_229],
  [{ resolution: "1080P" }, 1_080],
  [{ resolution: 480 }, 480],
  [{ resolution: "4K" }, 2_160],
  [{ resolution: "16:9" }, undefined],
  [{ resolution: "gigantic" }, 100_000],
  [{ resolution: ["720p"] }, 100_000],
  [{ mode: "std" }, 720],
  [{ mode: "pro" }, 1_080],
  [{ mode: "fast", quality: "high", aspect_ratio: "16:9" }, undefined],
  [{ ratio: "1280:720" }, 720],
  [{ size: "1280x720", metadata: { mode: "pro" } }, 1_080],
  [{ metadata: '{"mode":"pro"}' }, 1_080],
  [{ metadata: { Mode: "pro" } }, 1_080],
  [{ metadata: { input: { Quality: "1080p" } } }, 1_080],
  [{ Size: "1920x1080", size: "1280x720" }, 1_080],
  [{ parameters: { Resolution: "1080P" } }, 1_080],
  [{ Width: 1_920, height: 1_080 }, 1_080],
  [{ size: null, mode: "constructor" }, undefined],
])("%j means %s lines", (body, lines) => {
  expect(linesIn(body)).toBe(lines);
});
