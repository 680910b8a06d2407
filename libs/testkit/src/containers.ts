import { RedisContainer } from "@testcontainers/redis";
import { GenericContainer, getContainerRuntimeClient, ImageName } from "testcontainers";
import type { Backends } from "./backends.ts";

const images = { redis: "redis:7-alpine", nats: "nats:2-alpine" } as const;
const testLabels = { "org.modelgate.test": "true" };
/** Label of reused containers; its value names the worker and its pair of containers. */
const reuseLabel = "org.modelgate.test.reused-by";
const natsMonitorPort = 8222;

let availability: Promise<boolean> | undefined;

/** Returns whether a Docker engine has the images, or can pull them. */
export function canStartContainers(): Promise<boolean> {
  availability ??= Promise.all(Object.values(images).map(canUseImage)).then((all) => all.every(Boolean));
  return availability;
}

/** Returns whether a Docker engine has an image, or can pull it. */
export async function canUseImage(name: string): Promise<boolean> {
  try {
    const { image } = await getContainerRuntimeClient();
    if (!(await image.exists(ImageName.fromString(name)))) await image.pull(ImageName.fromString(name));
    return true;
  } catch {
    return false;
  }
}

export interface Containers extends Backends {
  readonly how: "containers";
  readonly redisPort: number;
  /** Address at which NATS reports its connections and streams. */
  readonly natsMonitorUrl: string;
}

/** Starts containers of Redis and NATS. With `reusedBy`, returns running ones that were started with the same value. */
export async function startContainers(reusedBy?: string): Promise<Containers> {
  const [redis, nats] = await Promise.all([
    labelContainer(new RedisContainer(images.redis), reusedBy).start(),
    labelContainer(new GenericContainer(images.nats), reusedBy)
      .withCommand(["nats-server", "-js", "-m", String(natsMonitorPort)])
      .withExposedPorts(4222, natsMonitorPort)
      .start(),
  ]);
  return {
    redisUrl: redis.getConnectionUrl(),
    redisPort: redis.getPort(),
    natsUrl: `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`,
    natsMonitorUrl: `http://${nats.getHost()}:${nats.getMappedPort(natsMonitorPort)}`,
    how: "containers",
    async [Symbol.asyncDispose]() {
      await Promise.all([redis.stop(), nats.stop()]);
    },
  };
}

/** Labels a container, so that later starts with the same `reusedBy` find it. */
export function labelContainer<Container extends GenericContainer>(
  container: Container,
  reusedBy: string | undefined,
): Container {
  container.withLabels(testLabels);
  return reusedBy === undefined ? container : container.withLabels({ [reuseLabel]: reusedBy }).withReuse();
}

/** Removes the containers that were started with a value of `reusedBy` that has this prefix. */
export async function removeReusedContainers(prefix: string): Promise<void> {
  const { container } = await getContainerRuntimeClient();
  const all = await container.list();
  const reusedContainers = all.filter(({ Labels }) => Labels[reuseLabel]?.startsWith(prefix));
  await Promise.all(
    reusedContainers.map(async ({ Id }) => {
      await container.stop(container.getById(Id), { timeout: 0 });
      await container.remove(container.getById(Id), { removeVolumes: true });
    }),
  );
}
