import { startLocalSuite } from "@modelgate/testkit";
import type { Gateway } from "./gateways.ts";

const key = "sk-bench-0123456789abcdef";

/** Starts the suite with everything on: key, limits, hold, settlement, event, log. */
export async function startOurs(stub: string, env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const suite = await startLocalSuite({
    env,
    config: {
      groups: {
        default: {
          models: ["*"],
          limits: { requestsPerMinute: 1_000_000, tokensPerMinute: 1_000_000_000, concurrency: 10_000 },
        },
      },
      models: { stub: { kind: "chat", price: { input: 2.5, cachedInput: 1.25, output: 10 } } },
      channels: [{ id: "stub", provider: "openai", baseUrl: `${stub}/v1`, keys: ["key"], models: ["stub"] }],
      accounts: { bench: { balance: "100000.00", tokens: [{ key, group: "default" }] } },
    },
  });
  const pidOf = (name: "edge" | "text" | "ledger" | "control"): number => suite.process(name).pid;
  const isOne = pidOf("edge") === pidOf("text");
  const services = isOne
    ? { modelgate: [pidOf("edge")] }
    : { edge: [pidOf("edge")], text: [pidOf("text")], ledger: [pidOf("ledger")], control: [pidOf("control")] };
  return {
    name: isOne ? "modelgate, one process" : "modelgate, services apart",
    url: `${suite.edgeUrl}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    parts: { ...services, redis: [suite.backends.redis.pid()], nats: [suite.backends.nats.pid()] },
    [Symbol.asyncDispose]: () => suite[Symbol.asyncDispose](),
  };
}
