import { nanos, NatsError, RetentionPolicy, StorageType, type NatsConnection } from "nats";
import { eventStreams } from "@modelgate/contracts";
import type { Logger } from "./log.ts";

/** Bounds of a stream of events. */
export interface StreamBounds {
  /** Ids remembered by JetStream to drop repetitions. */
  readonly duplicateWindowMs: number;
  /** Oldest event that a stream keeps. */
  readonly keepMs: number;
  /** Maximum size of a stream's files; JetStream reserves it for each stream, even an empty one. */
  readonly keepBytes: number;
  /** Servers that keep each stream. */
  readonly replicas: number;
}

/** JetStream's value for a stream of any size. */
const unbounded = -1;

/** NATS is there, and does not keep a stream as it must be kept. */
export class StreamRefused extends Error {
  override readonly name = "StreamRefused";
}

/**
 * Creates missing event streams, and extends existing ones; they are never made smaller by a service with smaller
 * settings. A stream that cannot grow is used as it is. Throws StreamRefused for a stream that cannot be created, or
 * not on enough servers.
 */
export async function ensureStreams(connection: NatsConnection, bounds: StreamBounds, log: Logger): Promise<void> {
  const { streams } = await connection.jetstreamManager();
  for (const { name, subjects } of Object.values(eventStreams)) {
    const config = await streams.info(name).then((found) => found.config, absent);
    const wanted = { num_replicas: bounds.replicas, max_bytes: bounds.keepBytes };
    if (config === undefined) {
      const kept = {
        ...wanted,
        name,
        subjects: [subjects],
        duplicate_window: nanos(bounds.duplicateWindowMs),
        max_age: nanos(bounds.keepMs),
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
      };
      await streams.add(kept).catch(refused(name, bounds));
      continue;
    }
    const replicas = Math.max(config.num_replicas, bounds.replicas);
    if (replicas !== config.num_replicas)
      await streams.update(name, { ...config, num_replicas: replicas }).catch(refused(name, bounds));
    if (config.max_bytes !== unbounded && config.max_bytes < bounds.keepBytes)
      await streams
        .update(name, { ...config, num_replicas: replicas, max_bytes: bounds.keepBytes })
        .catch((error: unknown) => log.warn({ err: error, stream: name }, "a stream of events could not be resized"));
  }
}

/** Returns undefined where JetStream reports that something does not exist; throws every other error. */
export function absent(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

/**
 * Makes a handler that names the refused stream and its settings. Errors that are not JetStream's are thrown as they
 * are.
 */
function refused(name: string, { keepBytes, replicas }: StreamBounds): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NatsError) || error.api_error === undefined) throw error;
    const size = `${Object.keys(eventStreams).length} streams of ${keepBytes} bytes (NATS_KEEP_BYTES)`;
    throw new StreamRefused(
      `JetStream does not keep ${name}: ${error.message}; it must have room for ${size} on each of ${replicas} servers (NATS_REPLICAS)`,
      { cause: error },
    );
  };
}
