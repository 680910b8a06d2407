import { nanos, NatsError, RetentionPolicy, StorageType, type NatsConnection } from "nats";
import { eventStreams } from "@modelgate/contracts";
import type { Logger } from "./log.ts";

/** Bounds of a stream of events. */
export interface StreamBounds {
  /** Time for which JetStream remembers message ids to drop repetitions. */
  readonly duplicateWindowMs: number;
  /** Maximum age of the events in a stream. */
  readonly keepMs: number;
  /** Maximum bytes of a stream's files; JetStream reserves them for each stream, even an empty one. */
  readonly keepBytes: number;
  /** Number of servers that store each stream. */
  readonly replicas: number;
}

/** JetStream's value for an unlimited stream. */
const unbounded = -1;

/** Error of a NATS server that is available but cannot store a stream as required. */
export class StreamRefused extends Error {
  override readonly name = "StreamRefused";
}

/**
 * Creates missing event streams, and extends existing ones; a service with smaller settings does not reduce them. A
 * stream that cannot be extended is used unchanged. Throws StreamRefused for a stream that cannot be created, or not on
 * enough servers.
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

/** Returns undefined if JetStream reports that an object does not exist; rethrows every other error. */
export function absent(error: unknown): undefined {
  if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
  throw error;
}

/**
 * Creates an error handler that names the refused stream and its settings. It rethrows errors that are not JetStream's.
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
