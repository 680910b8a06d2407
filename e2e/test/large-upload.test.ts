import { expect, test } from "vitest";
import { largeUpload } from "../bench/large-upload.ts";

const mebibyte = 1_048_576;

test("a file of 96 MiB passes without more memory in the services", async () => {
  const { passed, spooled } = await largeUpload(96);
  // Buffers that have passed lie about until V8 collects them: some tens of megabytes, whatever the size of the file.
  for (const grown of [passed.edge, passed.audio, spooled.edge, spooled.audio])
    expect(grown).toBeLessThan(64 * mebibyte);
}, 120_000);
