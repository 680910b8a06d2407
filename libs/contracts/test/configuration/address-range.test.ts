import { expect, test } from "vitest";
import { parseAddressRange } from "../../src/index.ts";

test.each([
  ["192.0.2.7", { address: "192.0.2.7", family: "ipv4", prefix: 32 }],
  ["10.0.0.0/8", { address: "10.0.0.0", family: "ipv4", prefix: 8 }],
  ["2001:db8::/32", { address: "2001:db8::", family: "ipv6", prefix: 32 }],
  ["::ffff:10.0.0.0/104", { address: "10.0.0.0", family: "ipv4", prefix: 8 }],
  ["::ffff:0.0.0.0/96", { address: "0.0.0.0", family: "ipv4", prefix: 0 }],
  ["0:0:0:0:0:FFFF:c000:207", { address: "192.0.2.7", family: "ipv4", prefix: 32 }],
])("%s is a range", (text, range) => {
  expect(parseAddressRange(text)).toEqual(range);
});

test.each(["", "10.0.0.0/33", "10.0.0.0/8/8", "2001:db8::/129", "fe80::1%eth0", "::ffff:10.0.0.0/95", "example.com"])(
  "%j is not a range",
  (text) => {
    expect(parseAddressRange(text)).toBeUndefined();
  },
);
