import { expect, test } from "vitest";
import type { Token } from "@modelgate/accounts";
import type { TokenCache } from "../../src/token-cache.ts";
import { identifyCaller } from "../../src/steps/caller.ts";
import { matchEndpoint } from "../../src/steps/endpoint.ts";
import { callOf, run, token, type Call } from "./call.ts";

/** Runs the step for a token, which is found synchronously or later. */
function find(call: Call, found: Token | undefined, isLater: boolean, proxies = 0): Promise<boolean> {
  const tokens: TokenCache = {
    find: () => (isLater ? Promise.resolve(found) : found),
    [Symbol.dispose]: () => undefined,
  };
  return run(call, matchEndpoint, identifyCaller(tokens, proxies));
}

test.each([true, false])("a token is found (looked up: %s)", async (isLater) => {
  const call = callOf();
  expect(await find(call, token, isLater)).toBe(true);
  expect(call.context.token).toBe(token);
});

const past = "2020-01-01T00:00:00.000Z";
test.each([
  ["unknown", undefined, "invalid_api_key"],
  ["disabled", { ...token, disabled: true }, "api_key_disabled"],
  ["expired", { ...token, expiresAt: past }, "api_key_expired"],
  ["a client secret, outside of realtime", { ...token, settingsId: "settings-1" }, "invalid_api_key"],
])("a key that is %s is refused", async (_, found, code) => {
  for (const isLater of [true, false])
    // oxlint-disable-next-line no-await-in-loop -- the cases are few
    await expect(find(callOf(), found, isLater)).rejects.toMatchObject({ code, status: 401 });
});

test("a client secret opens a realtime session", async () => {
  const call = callOf({ method: "GET", path: "/v1/realtime?model=m" });
  expect(await find(call, { ...token, settingsId: "settings-1" }, false)).toBe(true);
});

test.each([
  ["198.51.100.7", 1, true],
  ["203.0.113.9, 198.51.100.7", 1, true],
  ["198.51.100.7, 203.0.113.9", 1, false],
  ["198.51.100.7, 10.0.0.1", 2, true],
  ["2001:db8::1", 1, true],
  ["198.51.100.7", 0, false],
  ["nonsense", 1, false],
  ["198.51.100.7", 2, false],
])(
  "a key with addresses, behind proxies that report %s (%i before the edge): allowed is %s",
  async (hops, proxies, is) => {
    const call = callOf({ headers: { "x-forwarded-for": hops } });
    const used = find(call, { ...token, allowedAddresses: ["198.51.100.0/24", "2001:db8::/32"] }, false, proxies);
    if (is) expect(await used).toBe(true);
    else await expect(used).rejects.toMatchObject({ code: "address_not_allowed", status: 403 });
  },
);

test.each([
  ["a key with addresses", { ...token, allowedAddresses: ["198.51.100.0/24"] }, "198.51.100.7"],
  ["a client secret", { ...token, settingsId: "settings-1" }, "198.51.100.7"],
  ["another key", token, undefined],
])("the client's address is kept for %s: %s", async (_, found, address) => {
  const call = callOf({
    method: "GET",
    path: "/v1/realtime?model=m",
    headers: { "x-forwarded-for": "198.51.100.7" },
  });
  await find(call, found, false, 1);
  expect(call.context.clientAddress).toBe(address);
});
