import { freePorts, startServiceAlone, type AloneService, type Limits, type Suite } from "@modelgate/testkit";

/** Second edge and text service with the stores of a suite, in one process. */
export interface Replica extends AsyncDisposable {
  readonly edgeUrl: string;
  readonly service: AloneService;
}

/** Returns the environment variables that replicas share with a suite. */
export function sharedEnv({ backends, secret }: Suite): Readonly<Record<string, string>> {
  return { REDIS_URL: backends.redisUrl, NATS_URL: backends.natsUrl, MODELGATE_SECRET: secret };
}

export async function startReplica(suite: Suite, limits: Limits = {}): Promise<Replica> {
  const [port = 0] = await freePorts(1);
  const env = { ...sharedEnv(suite), PORT: String(port), MODELGATE_SERVICES: "edge,text" };
  const service = await startServiceAlone("gateway", env, limits);
  return {
    edgeUrl: `http://127.0.0.1:${port}`,
    service,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
