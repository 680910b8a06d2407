import { expect, test } from "vitest";
import { largeUpload } from "../bench/large-upload.ts";

const mebibyte = 1_048_576;

test("a file of 40 MiB passes without the services growing with it", async () => {
  const { passed, spooled } = await largeUpload(40);
  for (const grown of [passed.edge, passed.audio, spooled.edge, spooled.audio])
    expect(grown).toBeLessThan(32 * mebibyte);
}, 120_000);
