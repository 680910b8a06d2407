import { expect, test } from "vitest";
import { clientAddress, proxiesVariable } from "../src/client-address.ts";
import { readVariables } from "../src/variables.ts";

test.each([
  ["203.0.113.9", 0, "10.0.0.1"],
  ["203.0.113.9", 1, "203.0.113.9"],
  ["192.0.2.7, 203.0.113.9", 1, "203.0.113.9"],
  ["192.0.2.7, 203.0.113.9", 2, "192.0.2.7"],
  ["203.0.113.9:50123", 1, "203.0.113.9"],
  ["[2001:db8::7]:50123", 1, "2001:db8::7"],
  ["[2001:db8::7]", 1, "2001:db8::7"],
  ["2001:db8::7", 1, "2001:db8::7"],
  ["203.0.113.9", 2, ""],
  ["", 1, ""],
  [undefined, 1, ""],
])("with the header %s and %i proxies, the client's address is %j", (hops, proxies, address) => {
  const headers = hops === undefined ? {} : { "x-forwarded-for": hops };
  expect(clientAddress({ headers, socket: { remoteAddress: "10.0.0.1" } }, proxies)).toBe(address);
});

test("the former variable of the console is refused, and names its successor", () => {
  expect(() => readVariables(proxiesVariable, { CONSOLE_PROXIES: "1" })).toThrow(/CONSOLE_PROXIES .* PROXIES$/);
});
