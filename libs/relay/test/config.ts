export const keys = {
  demo: "sk-demo-0123456789abcdef",
  poor: "sk-poor-0123456789abcdef",
  narrow: "sk-narrow-0123456789abcdef",
  expired: "sk-expired-0123456789abcdef",
  disabled: "sk-disabled-0123456789abcdef",
  slow: "sk-slow-0123456789abcdef",
  single: "sk-single-0123456789abcdef",
  thrifty: "sk-thrifty-0123456789abcdef",
} as const;

/** Returns a channel that calls its own instance of the simulator. */
export function channel(id: string, models: readonly string[] | Record<string, string>, more: object = {}): object {
  return {
    id,
    provider: "openai",
    baseUrl: `\${SIMULATOR_URL}/at/${id}/openai/v1`,
    keys: [`key-of-${id}`],
    models,
    ...more,
  };
}

/** Configuration with a price of each kind, and an API key for each reason to refuse a call. */
export const config = {
  groups: {
    default: { models: ["*"] },
    double: { multiplier: 2, models: ["*"] },
    slow: { models: ["*"], limits: { requestsPerMinute: 2 } },
    single: { models: ["*"], limits: { concurrency: 1 } },
    thrifty: { models: ["*"], limits: { tokensPerMinute: 100 } },
  },
  models: {
    chat: { kind: "chat", ownedBy: "acme", price: { input: 2.5, cachedInput: 1.25, output: 10 } },
    fixed: { kind: "chat", price: { request: 0.001 } },
    renamed: { kind: "chat", price: { input: 2.5, output: 10 } },
    sketch: { kind: "image", price: { image: 0.04 } },
  },
  channels: [channel("main", ["chat", "fixed", "sketch"]), channel("other", { renamed: "vendor-name" })],
  accounts: {
    demo: {
      balance: "10.00",
      tokens: [
        { key: keys.demo, group: "default" },
        { key: keys.narrow, group: "default", models: ["chat"] },
        { key: keys.expired, group: "default", expiresAt: "2020-01-01T00:00:00Z" },
        { key: keys.disabled, group: "default", disabled: true },
        { key: keys.slow, group: "slow" },
        { key: keys.single, group: "single" },
        { key: keys.thrifty, group: "thrifty" },
      ],
    },
    // Covers fifty calls of the model `fixed`.
    poor: { balance: "0.05", tokens: [{ key: keys.poor, group: "default" }] },
  },
};

/** Second account with money. */
export const rival = {
  key: "sk-rival-0123456789abcdef",
  account: { balance: "10.00", tokens: [{ key: "sk-rival-0123456789abcdef", group: "default" }] },
};

/** Group whose accounts may use all objects in the vendors' stores. */
export const trusting = { models: ["*"], vendorStores: "shared" };

export const trustingAccount = {
  key: "sk-trusting-0123456789abcdef",
  account: { balance: "10.00", tokens: [{ key: "sk-trusting-0123456789abcdef", group: "trusting" }] },
};

let requestCount = 0;
/** Returns a chat request with a new text, because failures of equal requests are counted once. */
export const another = (model: string) => hello(model, `Hello ${++requestCount}`);

export const hello = (model: string, content = "Hello") => ({ model, messages: [{ role: "user" as const, content }] });
