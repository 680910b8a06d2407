import { signOperator } from "@modelgate/contracts/operator-credential";
import { startSuite, until, type Limits, type Suite } from "@modelgate/testkit";
import { vendors, type Vendor } from "./vendors.ts";

/** US dollars per million tokens, each different, so that a unit in the wrong place shows in the bill. */
export const price = { input: 2, cachedInput: 0.5, cacheWrite: 3, output: 8 } as const;

/** The key of an account of its own, for tests that look at the money. */
export const keyOf = (account: string): string => `sk-${account}-0123456789abcdef`;

/** A way to a vendor, whose instance of the simulator has the channel's name. */
export function channelOf(vendor: Vendor, id: string, models: Readonly<Record<string, string>>): object {
  return {
    id,
    provider: vendor.provider,
    baseUrl: `\${SIMULATOR_URL}/at/${id}${vendor.path}`,
    keys: [`key-of-${id}`],
    models,
    ...(vendor.wires === undefined ? {} : { wires: vendor.wires }),
  };
}

/** What a test file adds to the house. */
export interface Additions {
  readonly models?: Readonly<Record<string, object>>;
  readonly channels?: readonly object[];
  /** Accounts beside `demo`, each with `keyOf(name)`. */
  readonly accounts?: readonly string[];
  /** Groups, by the account whose keys are in them; others are in one without limits. */
  readonly groups?: Readonly<Record<string, object>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Limits;
}

/** The suite with a model behind every vendor, named as the vendor is. */
export function startHouse({
  models = {},
  channels = [],
  accounts = [],
  groups = {},
  env = {},
  limits = {},
}: Additions = {}): Promise<Suite> {
  const rich = (name: string) =>
    [name, { balance: "100", tokens: [{ key: keyOf(name), group: name in groups ? name : "default" }] }] as const;
  // Agents offer a search with every request, and pictures are a tool on one of the wires.
  const chat = { kind: "chat", price: { ...price, tools: { webSearch: 0.01, imageGeneration: 0.04 } } };
  return startSuite({
    config: {
      groups: { default: { models: ["*"] }, ...groups },
      models: { ...Object.fromEntries(vendors.map(({ name }) => [name, chat])), ...models },
      channels: [
        ...vendors.map((vendor) => channelOf(vendor, vendor.name, { [vendor.name]: vendor.model })),
        ...channels,
      ],
      accounts: Object.fromEntries(["demo", ...accounts].map(rich)),
    },
    env,
    limits,
  });
}

interface Money {
  readonly heldNanos: string;
  readonly balanceNanos: string;
}

/** An account's money in nano-dollars once nothing of it is held any more. */
export function settled(suite: Suite, account = "demo"): Promise<bigint> {
  return until(`all holds of ${account} to be settled`, async () => {
    const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
    const headers = { authorization: `Bearer ${credential}` };
    const answer = await fetch(`${suite.controlUrl}/accounts/${account}`, { headers });
    const shown: { readonly data: Money } = JSON.parse(await answer.text());
    return shown.data.heldNanos === "0" && BigInt(shown.data.balanceNanos);
  });
}
