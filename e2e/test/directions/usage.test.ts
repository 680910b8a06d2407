import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { clients } from "./clients/index.ts";
import { keyOf, price, settled, startHouse } from "./house.ts";
import { forbidWarnings } from "./quiet.ts";
import { vendors } from "./vendors.ts";

/** Every direction has an account of its own, so that its bill is seen alone. */
const directions = clients.flatMap((client) =>
  vendors.map((vendor) => ({
    client,
    vendor,
    name: `${client.name} to ${vendor.name}`,
    account: `${client.name}-${vendor.name}`.replaceAll(" ", "-"),
  })),
);

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse({ accounts: directions.map(({ account }) => account) });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const counted = { inputTokens: 1_000, cachedTokens: 600, outputTokens: 80, reasoningTokens: 30 };
/** Tokens that are written to a cache, by vendors that report them. */
const written = 100;

/** A dollar for a million tokens is a thousand nano-dollars for one. */
const nanos = (tokens: number, dollars: number): bigint => BigInt(tokens * dollars * 1_000);

describe.each(directions)("$name", ({ client, vendor, account }) => {
  // The vendor of this wire reports no tokens that it wrote to a cache.
  const cacheWriteTokens = vendor.wire === "content" ? 0 : written;
  const cost =
    nanos(counted.inputTokens - counted.cachedTokens - cacheWriteTokens, price.input) +
    nanos(counted.cachedTokens, price.cachedInput) +
    nanos(cacheWriteTokens, price.cacheWrite) +
    nanos(counted.outputTokens, price.output);

  test.each([
    { how: "whole", stream: false },
    { how: "streamed", stream: true },
  ])("usage is what the vendor reported, and the bill its price: $how", async ({ stream }) => {
    const before = await settled(suite, account);
    const usage = { ...counted, cacheWriteTokens };
    const said = [{ text: `Hello {{simulate: ${JSON.stringify({ usage })}}}` }];
    const heard = await client.ask(suite, keyOf(account), { model: vendor.name, stream, said });
    expect(heard.text).toBe("You said: Hello");
    expect(heard.usage).toEqual({
      input: counted.inputTokens,
      cached: counted.cachedTokens,
      output: counted.outputTokens,
      reasoning: counted.reasoningTokens,
    });
    expect(before - (await settled(suite, account))).toBe(cost);
  });
});
