import { nanos, NatsError, RetentionPolicy, StorageType, type NatsConnection } from "nats";
import { eventStreams } from "@modelgate/contracts";
import type { Logger } from "./log.ts";

/** Limits of the event streams. */
export interface StreamLimits {
  /** Time in ms for which JetStream detects repeated messages. */
  readonly duplicateWindowMs: number;
  readonly keepMs: number;
  /** Maximum bytes of one stream on disk. JetStream reserves them even for an empty stream. */
  readonly keepBytes: number;
  readonly replicas: number;
}

const unlimitedBytes = -1;

/** Error if NATS is available but cannot create a stream with the required limits. */
export class StreamRefused extends Error {
  override readonly name = "StreamRefused";
}

/**
 * Creates missing event streams. Raises the replicas and the size of existing streams, but never reduces them. Throws
 * StreamRefused if NATS refuses a new stream or more replicas; if it refuses a larger size, logs a warning.
 */
export async function ensureStreams(connection: NatsConnection, limits: StreamLimits, log: Logger): Promise<void> {
  const { streams } = await connection.jetstreamManager();
  for (const { name, subjects } of Object.values(eventStreams)) {
    const config = await streams.info(name).then((info) => info.config, undefinedIfNotFound);
    const expected = { num_replicas: limits.replicas, max_bytes: limits.keepBytes };
    if (config === undefined) {
      const newStream = {
        ...expected,
        name,
        subjects: [subjects],
        duplicate_window: nanos(limits.duplicateWindowMs),
        max_age: nanos(limits.keepMs),
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
      };
      await streams.add(newStream).catch(rethrowRefused(name, limits));
      continue;
    }
    const replicas = Math.max(config.num_replicas, limits.replicas);
    if (replicas !== config.num_replicas)
      await streams.update(name, { ...config, num_replicas: replicas }).catch(rethrowRefused(name, limits));
    if (config.max_bytes !== unlimitedBytes && config.max_bytes < limits.keepBytes)
      await streams
        .update(name, { ...config, num_replicas: replicas, max_bytes: limits.keepBytes })
        .catch((error: unknown) => log.warn({ err: error, stream: name }, "a stream of events could not be resized"));
  }
}

/** Returns undefined for JetStream's error "not found"; rethrows other errors. */
export function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

/** Creates an error handler that converts errors of JetStream to StreamRefused. */
function rethrowRefused(name: string, { keepBytes, replicas }: StreamLimits): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NatsError) || error.api_error === undefined) throw error;
    const size = `${Object.keys(eventStreams).length} streams of ${keepBytes} bytes (NATS_KEEP_BYTES)`;
    throw new StreamRefused(
      `JetStream does not store ${name}: ${error.message}; it must have room for ${size} on each of ${replicas} servers (NATS_REPLICAS)`,
      { cause: error },
    );
  };
}
