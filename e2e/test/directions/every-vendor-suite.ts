import { startSuite, type Limits, type Suite } from "@modelgate/testkit";
import { configOf, type Additions } from "../../../services/text/test/every-vendor.ts";
import { settledMoney } from "../suite-client.ts";

export { keyOf, price } from "../../../services/text/test/every-vendor.ts";
export { channelOf } from "../../../services/text/test/vendors.ts";

/** Starts a suite with a model of every text vendor. */
export function startEveryVendorSuite({
  env = {},
  limits = {},
  ...additions
}: Additions & { readonly env?: Readonly<Record<string, string>>; readonly limits?: Limits } = {}): Promise<Suite> {
  return startSuite({ config: configOf(additions), env, limits });
}

/** Waits until nothing is reserved, and returns the balance in nano-dollars. */
export async function settled(suite: Suite, account = "demo"): Promise<bigint> {
  return BigInt((await settledMoney(suite, account)).balanceNanos);
}
