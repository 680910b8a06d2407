import { BlockList, isIP } from "node:net";
import { Failure, parseAddressRange } from "@modelgate/contracts";

/** Compiled lists. A token's list stays the same object while the token is cached. */
const compiledLists = new WeakMap<readonly string[], BlockList>();

/** Returns true if a list of addresses and ranges includes every address of another list. */
export function includesRanges(list: readonly string[], others: readonly string[]): boolean {
  return others.every((text) => {
    const inner = parseAddressRange(text);
    return list.some((each) => {
      const outer = parseAddressRange(each);
      if (inner === undefined || outer === undefined) return false;
      if (inner.family !== outer.family || inner.prefix < outer.prefix) return false;
      return compileList([each]).check(inner.address, inner.family);
    });
  });
}

/** Throws Failure address_not_allowed if a list of addresses and ranges does not include an address. */
export function requireAllowedAddress(list: readonly string[], address: string): void {
  let compiled = compiledLists.get(list);
  if (compiled === undefined) {
    compiled = compileList(list);
    compiledLists.set(list, compiled);
  }
  const version = isIP(address);
  if (version !== 0 && compiled.check(address, version === 4 ? "ipv4" : "ipv6")) return;
  throw new Failure(
    "address_not_allowed",
    address === ""
      ? "This API key may be used from some addresses only, and the client's address is unknown."
      : `This API key may not be used from the address ${address}.`,
  );
}

function compileList(list: readonly string[]): BlockList {
  const compiled = new BlockList();
  for (const text of list) {
    const range = parseAddressRange(text);
    if (range !== undefined) compiled.addSubnet(range.address, range.prefix, range.family);
  }
  return compiled;
}
