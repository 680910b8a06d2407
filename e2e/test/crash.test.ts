import { afterAll, beforeAll } from "vitest";
import { killedAreasTests } from "./crash/killed-areas.ts";
import { killedRedisTests } from "./crash/killed-redis.ts";
import { killedTextTests } from "./crash/killed-text.ts";
import { lostRedisTests } from "./crash/lost-redis.ts";
import { openCrashSetup, type CrashSetup } from "./crash/setup.ts";

/** Tests of killed services, and of a Redis that is slow, killed or without its data, in one suite. */
let setup: CrashSetup;
beforeAll(async () => {
  setup = await openCrashSetup();
});
afterAll(() => setup?.[Symbol.asyncDispose]());

killedTextTests(() => setup);
killedAreasTests(() => setup);
killedRedisTests(() => setup);
lostRedisTests(() => setup);
