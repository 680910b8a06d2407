import { BlockList, isIPv6 } from "node:net";
import { describe, expect, test } from "vitest";
import { nameOf } from "../render/kustomize.ts";
import { textOf, type Fields } from "../render/value.ts";
import { at, itemsAt, overlay, overlays } from "./suite.ts";

/** Addresses in private networks. At the first one, clouds return the credentials of a machine. */
const privateAddresses = [
  "169.254.169.254",
  "10.0.0.1",
  "10.96.0.1",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.1.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "0.0.0.0",
  "::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "2002:a00:1::",
];
const outside = ["1.1.1.1", "104.18.7.192", "172.32.0.1", "100.128.0.1", "2606:4700::6812:7c0"];
/** Returns the programs that call vendors or send alerts. */
const callersIn = (name: (typeof overlays)[number]): readonly string[] =>
  name === "small" ? ["gateway"] : ["audio", "control", "ledger", "media", "realtime", "text", "video"];
const alertSenders = ["gateway", "ledger"];

/** Returns whether an egress rule allows an address. */
function allowsAddress(rule: Fields, address: string): boolean {
  const family = (cidr: string) => (isIPv6(cidr) ? "ipv6" : "ipv4");
  return itemsAt(rule, "to").some((peer) => {
    const cidr = textOf(at(peer, "ipBlock", "cidr"));
    if (cidr === "" || family(cidr.split("/")[0] ?? "") !== family(address)) return false;
    const except = at(peer, "ipBlock", "except");
    const blocked = new BlockList();
    for (const subnet of Array.isArray(except) ? except.map(textOf) : []) {
      const [network = "", bits] = subnet.split("/");
      blocked.addSubnet(network, Number(bits), family(network));
    }
    return !blocked.check(address, family(address));
  });
}

describe.each(overlays)("%s", (name) => {
  const policies = overlay(name).filter(({ kind }) => kind === "NetworkPolicy");
  const rulesWithAddresses = (policy: Fields) =>
    itemsAt(policy, "spec", "egress").filter((rule) =>
      itemsAt(rule, "to").some(({ ipBlock }) => ipBlock !== undefined),
    );

  test("only services that call vendors or send alerts may reach addresses outside the cluster", () => {
    const found = policies.filter((policy) => rulesWithAddresses(policy).length > 0).map(nameOf);
    expect(found.toSorted()).toEqual(callersIn(name));
  });

  describe.each(callersIn(name))("%s", (service) => {
    const policy = policies.find((each) => nameOf(each) === service) ?? {};
    const rules = rulesWithAddresses(policy);

    test.each(outside)("reaches a vendor at %s", (address) => {
      expect(rules.some((rule) => allowsAddress(rule, address))).toBe(true);
    });

    test.each(privateAddresses)("does not reach %s, for any address in a request", (address) => {
      expect(rules.some((rule) => allowsAddress(rule, address))).toBe(false);
    });

    test("reaches vendors only at HTTPS, and mail servers if it sends alerts", () => {
      const ports = alertSenders.includes(service) ? [443, 465, 587] : [443];
      expect(rules.flatMap((rule) => itemsAt(rule, "ports"))).toEqual(ports.map((port) => ({ protocol: "TCP", port })));
    });
  });
});
