import { freePorts, startServiceAlone, type AloneService, type Suite } from "@modelgate/testkit";

/** A second edge with a text service of its own, on the state of a suite. */
export interface Replica extends AsyncDisposable {
  readonly edgeUrl: string;
  readonly text: AloneService;
}

/** Starts it; it shares with the suite what replicas share: Redis, NATS, the secret, and so the configuration. */
export async function startReplica(
  { backends, secret }: Suite,
  env: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const shared = { REDIS_URL: backends.redisUrl, NATS_URL: backends.natsUrl, MODELGATE_SECRET: secret };
  const text = await startServiceAlone("text", { ...shared, ...env });
  const [port = 0] = await freePorts(1);
  const edge = await startServiceAlone("edge", { ...shared, PORT: String(port), TEXT_URL: text.url });
  return {
    edgeUrl: `http://127.0.0.1:${port}`,
    text,
    async [Symbol.asyncDispose]() {
      await Promise.all([edge, text].map((service) => service[Symbol.asyncDispose]()));
    },
  };
}
