import { afterAll, beforeAll, expect, test } from "vitest";
import { measureUploads } from "../bench/large-upload.ts";
import { killedAreasTests } from "./crash/killed-areas.ts";
import { killedRedisTests } from "./crash/killed-redis.ts";
import { killedTextTests } from "./crash/killed-text.ts";
import { lostRedisTests } from "./crash/lost-redis.ts";
import { openCrashSetup, type CrashSetup } from "./crash/setup.ts";
import { keys } from "./suite-client.ts";

/**
 * Tests of large files in services that still have little memory, then of killed services, and of a Redis that is
 * slow, killed or without its data, in one suite.
 */
let setup: CrashSetup;
beforeAll(async () => {
  setup = await openCrashSetup();
});
afterAll(() => setup?.[Symbol.asyncDispose]());

test("a file of 72 MiB passes without more memory in the services", async () => {
  const { passed, spooled } = await measureUploads(setup.suite, keys.demo, 72);
  // V8 collects forwarded buffers late: they use tens of megabytes for any file size.
  for (const grown of [passed.edge, passed.audio, spooled.edge, spooled.audio])
    expect(grown).toBeLessThan(64 * 1_048_576);
});

killedTextTests(() => setup);
killedAreasTests(() => setup);
killedRedisTests(() => setup);
lostRedisTests(() => setup);
