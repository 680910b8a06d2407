import { readFileSync } from "node:fs";
import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocalBackends, type LocalBackends } from "@modelgate/testkit";

let backends: LocalBackends;
let redis: Redis;
beforeAll(async () => {
  backends = await startLocalBackends();
  redis = new Redis(backends.redisUrl);
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const amounts = readFileSync(new URL("../src/money/amounts.lua", import.meta.url), "utf8");
const script = `${amounts}
local a, b = ARGV[1], ARGV[2]
return {add(a, b), subtract(a, b), negated(a), is_negative(a) and 1 or 0}`;

/** Amounts around the powers of ten where halves carry and borrow, and around 2^53. */
const amount = fc.oneof(
  fc.bigInt({ min: -(4n * 10n ** 18n), max: 4n * 10n ** 18n }),
  fc.bigInt({ min: -2_000n, max: 2_000n }),
  fc
    .tuple(fc.integer({ min: 8, max: 18 }), fc.bigInt({ min: -2n, max: 2n }), fc.boolean())
    .map(([power, around, isBelow]) => (isBelow ? -1n : 1n) * (10n ** BigInt(power) + around)),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
);

test("sums and differences in Lua equal those of integers, exact to the nano-dollar", async () => {
  await fc.assert(
    fc.asyncProperty(amount, amount, async (a, b) => {
      const results = await redis.eval(script, 0, a.toString(), b.toString());
      expect(results).toEqual([(a + b).toString(), (a - b).toString(), (-a).toString(), a < 0n ? 1 : 0]);
    }),
    { numRuns: 3_000 },
  );
});
