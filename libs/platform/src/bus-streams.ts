import { nanos, NatsError, RetentionPolicy, StorageType, type NatsConnection } from "nats";
import { eventStreams } from "@modelgate/contracts";

/** Bounds of the event streams, and of waiting for them. */
export interface BusLimits {
  /** Ids remembered by JetStream to drop repetitions. */
  readonly duplicateWindowMs: number;
  /** Oldest event that a stream keeps. */
  readonly keepMs: number;
  /** Largest size of a stream's files. */
  readonly keepBytes: number;
  /** Longest wait for JetStream's acknowledgement. */
  readonly ackMs: number;
  /** Servers that keep each stream. */
  readonly replicas: number;
}

/** Creates the event streams where they are absent, and lets those grow that are smaller than they may be. */
export async function ensureStreams(connection: NatsConnection, bounds: BusLimits): Promise<void> {
  const management = await connection.jetstreamManager();
  for (const { name, subjects } of Object.values(eventStreams)) {
    const wanted = {
      subjects: [subjects],
      duplicate_window: nanos(bounds.duplicateWindowMs),
      max_age: nanos(bounds.keepMs),
      max_bytes: bounds.keepBytes,
      num_replicas: bounds.replicas,
    };
    try {
      const { config } = await management.streams.info(name);
      // A stream that there is grows, and is never made less by a service that was told less.
      const grown = {
        num_replicas: Math.max(config.num_replicas, bounds.replicas),
        max_bytes: Math.max(config.max_bytes, bounds.keepBytes),
      };
      if (grown.num_replicas !== config.num_replicas || grown.max_bytes !== config.max_bytes)
        await management.streams.update(name, { ...config, ...grown });
    } catch (error) {
      if (!isAbsent(error)) throw error;
      await management.streams.add({ ...wanted, name, storage: StorageType.File, retention: RetentionPolicy.Limits });
    }
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.code === 404;
}
