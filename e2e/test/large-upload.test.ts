import { expect, test } from "vitest";
import { largeUpload } from "../bench/large-upload.ts";

const mebibyte = 1_048_576;

test("a file of 96 MiB passes without more memory in the services", async () => {
  const { passed, spooled } = await largeUpload(96);
  // V8 collects forwarded buffers late: they use tens of megabytes for any file size.
  for (const grown of [passed.edge, passed.audio, spooled.edge, spooled.audio])
    expect(grown).toBeLessThan(64 * mebibyte);
});
