import dns from "node:dns";
import { beforeEach, expect, test, vi } from "vitest";
import { connectSocket } from "../src/connect.ts";
import { isBlockedAddress, vendorLookup } from "../src/blocked-address.ts";
import { openTransport } from "../src/transport.ts";

/** Addresses of the host names in these tests. */
const names: Readonly<Record<string, readonly string[]>> = {
  "metadata.example": ["203.0.113.7", "169.254.169.254"],
  "vendor.example": ["203.0.113.7", "203.0.113.8"],
};
beforeEach(() => {
  const addressesOf = (host: string): dns.LookupAddress[] =>
    (names[host] ?? []).map((address) => ({ address, family: 4 }));
  vi.spyOn(dns, "lookup").mockImplementation(((
    host: string,
    _options: object,
    callback: (error: null, found: readonly dns.LookupAddress[]) => void,
  ) => callback(null, addressesOf(host))) as typeof dns.lookup);
  return () => vi.restoreAllMocks();
});

test.each([
  ["169.254.169.254", true],
  ["[fe80::1]", true],
  ["[fd00:ec2::254]", true],
  ["[::ffff:a9fe:a9fe]", true],
  ["100.100.100.200", true],
  ["127.0.0.1", false],
  ["10.0.0.1", false],
  ["[fd00::1]", false],
  ["api.openai.com", false],
])("%s is blocked: %s", (host, expected) => {
  expect(isBlockedAddress(host)).toBe(expected);
});

test("no request and no WebSocket goes to a blocked address", async () => {
  await using transport = openTransport();
  const request = { method: "GET", headers: {}, timeoutMs: 60_000, proxy: undefined } as const;
  const signal = new AbortController().signal;
  await expect(transport.send({ ...request, url: new URL("http://169.254.169.254/") }, signal)).rejects.toThrow(
    "link-local",
  );
  const socket = connectSocket({ ...request, url: new URL("ws://[fe80::1]/") }, { maxMessageBytes: 1 }, signal);
  await expect(socket).rejects.toThrow("link-local");
});

test.each([{}, { all: true }])(
  "a name that resolves to a blocked address is not found, with the options %j",
  (options) => {
    const onResolved = vi.fn<Parameters<typeof vendorLookup>[2]>();
    vendorLookup("metadata.example", options, onResolved);
    expect(onResolved).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: expect.stringMatching(/link-local/) }),
      "",
      0,
    );
  },
);

test("another name is resolved, by one address or by all", () => {
  const onResolved = vi.fn<Parameters<typeof vendorLookup>[2]>();
  vendorLookup("vendor.example", {}, onResolved);
  expect(onResolved).toHaveBeenLastCalledWith(null, "203.0.113.7", 4);
  vendorLookup("vendor.example", { all: true }, onResolved);
  const both = ["203.0.113.7", "203.0.113.8"].map((address) => ({ address, family: 4 }));
  expect(onResolved).toHaveBeenLastCalledWith(null, both);
});

test("no request goes to a name that resolves to a blocked address", async () => {
  await using transport = openTransport();
  const request = {
    method: "GET",
    headers: {},
    timeoutMs: 60_000,
    proxy: undefined,
    url: new URL("http://metadata.example/"),
  } as const;
  await expect(transport.send(request, new AbortController().signal)).rejects.toThrow(
    "metadata.example is a link-local address",
  );
});
