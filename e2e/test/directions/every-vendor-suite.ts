import { signOperator } from "@modelgate/contracts/operator-credential";
import { startSuite, until, type Limits, type Suite } from "@modelgate/testkit";
import { configOf, type Additions } from "../../../services/text/test/every-vendor.ts";

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

interface Money {
  readonly heldNanos: string;
  readonly balanceNanos: string;
}

/** Waits until nothing is reserved, and returns the balance in nano-dollars. */
export function settled(suite: Suite, account = "demo"): Promise<bigint> {
  return until(`all holds of ${account} to be settled`, async () => {
    const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
    const headers = { authorization: `Bearer ${credential}` };
    const answer = await fetch(`${suite.controlUrl}/accounts/${account}`, { headers });
    const shown: { readonly data: Money } = JSON.parse(await answer.text());
    return shown.data.heldNanos === "0" && BigInt(shown.data.balanceNanos);
  });
}
