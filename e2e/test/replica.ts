import { freePorts, startServiceAlone, type AloneService, type Limits, type Suite } from "@modelgate/testkit";

/** Second edge and text service with the stores of a suite. */
export interface Replica extends AsyncDisposable {
  readonly edgeUrl: string;
  readonly text: AloneService;
}

/** Returns the environment variables that replicas share with a suite. */
export function sharedEnv({ backends, secret }: Suite): Readonly<Record<string, string>> {
  return { REDIS_URL: backends.redisUrl, NATS_URL: backends.natsUrl, MODELGATE_SECRET: secret };
}

export async function startReplica(suite: Suite, limits: Limits = {}): Promise<Replica> {
  const shared = sharedEnv(suite);
  const text = await startServiceAlone("text", shared, limits);
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
