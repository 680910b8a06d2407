import { startLocalSuite, type LocalBackends, type Shape, type Suite, type SuiteOptions } from "@modelgate/testkit";
import { inspectableEnv } from "../inspector.ts";
import type { Gateway } from "./gateways.ts";
import { models } from "./stub-models.ts";

const key = "sk-bench-0123456789abcdef";
const measuredServices = ["edge", "text", "ledger", "control"] as const;
const idleServices = ["media", "audio", "video", "realtime"] as const;
const price = { input: 2.5, cachedInput: 1.25, output: 10 };

/** Names of modelgate in tables. */
export const nameOfOurs = { one: "modelgate, one process", apart: "modelgate, services apart" } as const;

/** modelgate as a measured gateway. */
export interface Ours extends Gateway {
  readonly suite: Suite<LocalBackends>;
}

/** Starts a suite with authentication, limits, settlement, events and log. */
export async function startOurs(
  stub: string,
  shape: Shape,
  options: Pick<SuiteOptions<LocalBackends>, "env" | "sources"> = {},
): Promise<Ours> {
  const names = Object.values(models);
  const suite = await startLocalSuite({
    fresh: true,
    env: inspectableEnv,
    ...options,
    limits: "product",
    shape,
    services: "all",
    config: {
      groups: {
        default: {
          models: ["*"],
          limits: { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000, concurrency: 10_000 },
        },
      },
      models: Object.fromEntries(names.map((name) => [name, { kind: "chat", price }])),
      channels: [{ id: "stub", provider: "openai", baseUrl: `${stub}/v1`, keys: ["key"], models: names }],
      accounts: { bench: { balance: "100000.00", tokens: [{ key, group: "default" }] } },
    },
  });
  const pidOf = (name: (typeof measuredServices | typeof idleServices)[number]): number => suite.process(name).pid;
  const services =
    shape === "one"
      ? { modelgate: [pidOf("edge")] }
      : {
          ...Object.fromEntries(measuredServices.map((name) => [name, [pidOf(name)]])),
          "idle services": idleServices.map(pidOf),
        };
  return {
    name: nameOfOurs[shape],
    address: suite.edgeUrl,
    headers: { authorization: `Bearer ${key}` },
    parts: services,
    servers: { redis: [suite.backends.redis.pid()], nats: [suite.backends.nats.pid()] },
    inspectable: suite.process("text"),
    isOurs: true,
    suite,
    [Symbol.asyncDispose]: () => suite[Symbol.asyncDispose](),
  };
}
