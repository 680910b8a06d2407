import { Redis } from "ioredis";
import { connect, type NatsConnection } from "nats";
import {
  startLocalBackends,
  startLocalPostgres,
  startSuite,
  type LocalBackends,
  type LocalPostgres,
  type Suite,
} from "@modelgate/testkit";

/** What alerts are provoked in: a suite for chat, and the servers that it stands on. */
export interface AlertHouse extends AsyncDisposable {
  readonly suite: Suite<LocalBackends>;
  readonly redis: Redis;
  readonly nats: NatsConnection;
  /** The server that the books are in. */
  readonly postgres: LocalPostgres["server"];
  /** Sends one chat request; its status. */
  ask(model: string, more?: object, key?: string): Promise<number>;
}

/** The services that Prometheus scrapes. */
export const scraped = ["edge", "text", "ledger", "control"] as const;
/** The key of an account that has much, and that of one that has little. */
export const [richKey, poorKey, otherKey] = [
  "sk-alerts-0123456789-rich",
  "sk-alerts-0123456789-poor",
  "sk-alerts-0123456789-other",
];
/** Models: what each is for stands with the provocation that asks for it. */
const models = ["plain", "dear", "broken", "silent", "greedy", "refused", "half"] as const;
const price = { request: 0.0001, input: 1, output: 2 };

function priceOf(model: (typeof models)[number]): object {
  if (model === "dear") return { ...price, request: 2 };
  return model === "half" ? { input: 1 } : price;
}

/** Each model has a vendor of its own, an instance of the simulator of its name. */
const channels = models.map((model) => ({
  id: model,
  provider: "openai",
  baseUrl: `\${SIMULATOR_URL}/at/${model}/openai/v1`,
  keys: [model === "refused" ? "bad-key" : "key"],
  models: { [model]: "chat" },
}));

const pay = (key: string) => [{ key, group: "default" }];

/** Starts the suite. */
export async function openAlertHouse(): Promise<AlertHouse> {
  await using opening = new AsyncDisposableStack();
  const { url: booksUrl, server: postgres } = opening.use(await startLocalPostgres());
  const suite = opening.use(
    await startSuite({
      shape: "apart",
      backends: await startLocalBackends(),
      env: { LOG_LEVEL: "error" },
      envOf: {
        ledger: {
          BOOKS_URL: booksUrl,
          VERIFY_EVERY_MS: "2000",
        },
      },
      limits: {
        relay: { limits: { leaseMs: 2_000 } },
        ledger: { watch: { everyMs: 200 }, rounds: { afterOutageMs: 500 } },
      },
      config: {
        groups: { default: { models: ["*"], unpriced: "pass" } },
        models: Object.fromEntries(models.map((name) => [name, { kind: "chat", price: priceOf(name) }])),
        channels,
        accounts: {
          rich: { balance: "100000.00", tokens: pay(richKey) },
          poor: { balance: "0.01", tokens: pay(poorKey) },
          other: { balance: "100.00", tokens: pay(otherKey) },
        },
      },
    }),
  );
  const redis = new Redis(suite.backends.redisUrl, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined); // servers are stopped here
  opening.defer(() => redis.disconnect());
  const nats = await connect({ servers: suite.backends.natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  opening.defer(() => nats.close());
  const open = opening.move();
  return {
    suite,
    redis,
    nats,
    postgres,
    async ask(model, more = {}, key = richKey) {
      const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: "user", content: "Hello" }], ...more }),
      }).catch(() => undefined);
      await answer?.text().catch(() => undefined);
      return answer?.status ?? 0;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
