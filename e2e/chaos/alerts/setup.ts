import { Redis } from "ioredis";
import { connect, type NatsConnection } from "nats";
import type { ChaosSetup } from "../faults.ts";
import { accountsOf, openChaosSetup } from "../setup.ts";

/** Suite in which alerts are provoked. */
export interface AlertSetup extends ChaosSetup, AsyncDisposable {
  readonly redis: Redis;
  readonly nats: NatsConnection;
  /** Sends a chat request and returns the status. */
  ask(model: string, more?: object, key?: string): Promise<number>;
}

/** Services that Prometheus scrapes. */
export const scrapedServices = ["edge", "text", "ledger", "control"] as const;
/** API keys of three accounts. */
export const [highBalanceKey, lowBalanceKey, otherKey] = [
  "sk-alerts-0123456789-rich",
  "sk-alerts-0123456789-poor",
  "sk-alerts-0123456789-other",
];
const price = { request: 0.0001, input: 1, output: 2 };
/** Prices by model. Each model has a separate vendor, an instance of the simulator. */
const prices = {
  plain: price,
  dear: { ...price, request: 2 },
  broken: price,
  silent: price,
  greedy: price,
  refused: price,
  half: { input: 1 },
} as const;
const names = Object.keys(prices);

/** Starts the suite with its books in PostgreSQL, and every service in a separate process. */
export async function openAlertSetup(): Promise<AlertSetup> {
  await using opening = new AsyncDisposableStack();
  const setup = opening.use(
    await openChaosSetup({
      engine: "postgres",
      shape: "apart",
      envOf: { ledger: { VERIFY_EVERY_MS: "2000" } },
      limits: {
        relay: { limits: { leaseMs: 2_000 } },
        ledger: { watch: { everyMs: 200 }, rounds: { afterOutageMs: 500 } },
      },
      config: {
        groups: { default: { models: ["*"], unpriced: "pass" } },
        models: Object.fromEntries(Object.entries(prices).map(([name, each]) => [name, { kind: "chat", price: each }])),
        channels: names.map((name) => ({
          id: name,
          provider: "openai",
          baseUrl: `\${SIMULATOR_URL}/at/${name}/openai/v1`,
          keys: [name === "refused" ? "bad-key" : "key"],
          models: { [name]: "chat" },
        })),
        accounts: {
          ...accountsOf([{ accountId: "rich", key: highBalanceKey }], "100000.00"),
          ...accountsOf([{ accountId: "poor", key: lowBalanceKey }], "0.01"),
          ...accountsOf([{ accountId: "other", key: otherKey }]),
        },
      },
    }),
  );
  const { suite } = setup;
  const redis = new Redis(suite.backends.redisUrl, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined); // faults stop Redis
  opening.defer(() => redis.disconnect());
  const nats = await connect({ servers: suite.backends.natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  opening.defer(() => nats.close());
  const resources = opening.move();
  return {
    ...setup,
    redis,
    nats,
    async ask(model, more = {}, key = highBalanceKey) {
      const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: "user", content: "Hello" }], ...more }),
      }).catch(() => undefined);
      await answer?.text().catch(() => undefined);
      return answer?.status ?? 0;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
