import { RedisContainer } from "@testcontainers/redis";
import { GenericContainer, getContainerRuntimeClient, ImageName } from "testcontainers";
import type { Backends } from "./backends.ts";

const images = { redis: "redis:7-alpine", nats: "nats:2-alpine" } as const;
const label = { "org.modelgate.test": "true" };

let answers: Promise<boolean> | undefined;

/** Whether a Docker engine answers and has the images, or can pull them. */
export function dockerAnswers(): Promise<boolean> {
  answers ??= ask();
  return answers;
}

async function ask(): Promise<boolean> {
  try {
    const { image } = await getContainerRuntimeClient();
    for (const name of Object.values(images))
      if (!(await image.exists(ImageName.fromString(name)))) await image.pull(ImageName.fromString(name));
    return true;
  } catch {
    return false;
  }
}

/** A Redis and a NATS container of their own; published on loopback ports. */
export async function startContainers(): Promise<Backends> {
  const [redis, nats] = await Promise.all([
    new RedisContainer(images.redis).withLabels(label).start(),
    new GenericContainer(images.nats)
      .withLabels(label)
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
