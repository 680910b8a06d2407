import { RedisContainer } from "@testcontainers/redis";
import { GenericContainer, getContainerRuntimeClient, ImageName } from "testcontainers";

/** Redis and NATS servers (with JetStream) of one test file. */
export interface Backends extends AsyncDisposable {
  readonly redisUrl: string;
  readonly natsUrl: string;
  /** Kind of the servers. */
  readonly how: "containers" | "local servers";
}

const images = { redis: "redis:7-alpine", nats: "nats:2-alpine" } as const;
/** Labels of the containers of tests. */
export const testLabels = { "org.modelgate.test": "true" };

let answers: Promise<boolean> | undefined;

/** Returns true if a Docker engine answers and has the images, or can pull them. */
export function canStartContainers(): Promise<boolean> {
  answers ??= Promise.all(Object.values(images).map(canUseImage)).then((all) => all.every(Boolean));
  return answers;
}

/** Returns true if a Docker engine answers and has an image, or can pull it. */
export async function canUseImage(name: string): Promise<boolean> {
  try {
    const { image } = await getContainerRuntimeClient();
    if (!(await image.exists(ImageName.fromString(name)))) await image.pull(ImageName.fromString(name));
    return true;
  } catch {
    return false;
  }
}

/** Starts containers of Redis and NATS, whose ports are published on the loopback address. */
export async function startContainers(): Promise<Backends> {
  const [redis, nats] = await Promise.all([
    new RedisContainer(images.redis).withLabels(testLabels).start(),
    new GenericContainer(images.nats)
      .withLabels(testLabels)
      .withCommand(["nats-server", "-js"])
      .withExposedPorts(4222)
      .start(),
  ]);
  return {
    redisUrl: redis.getConnectionUrl(),
    natsUrl: `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`,
    how: "containers",
    async [Symbol.asyncDispose]() {
      await Promise.all([redis.stop(), nats.stop()]);
    },
  };
}
