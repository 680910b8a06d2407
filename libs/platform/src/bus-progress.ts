import type { NatsConnection } from "nats";
import { undefinedIfNotFound } from "./bus-streams.ts";

/** Position of a durable reader in its stream. */
export interface Progress {
  /** Time at which the stream was created. It differs after the stream was recreated. */
  readonly created: string;
  /** Sequence number of the stream's last message. */
  readonly last: number;
  /** Sequence number up to which all messages are acknowledged. */
  readonly handled: number;
  /** Number of unacknowledged messages. */
  readonly waiting: number;
  /** Returns the age in ms of the oldest unacknowledged message, or 0. */
  readOldestAgeMs(): Promise<number>;
}

/** Reads the position of a durable reader. Returns undefined if the stream does not exist. */
export async function readProgress(
  connection: NatsConnection,
  stream: string,
  durable: string,
): Promise<Progress | undefined> {
  const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false });
  const info = await streams.info(stream).catch(undefinedIfNotFound);
  if (info === undefined) return undefined;
  // Read after the stream, so that a message that arrives in between is not taken for a handled one.
  const reader = await consumers.info(stream, durable).catch(undefinedIfNotFound);
  const { created, state } = info;
  const last = state.last_seq;
  // A missing reader has handled no messages.
  const waiting = reader === undefined ? state.messages : reader.num_pending + reader.num_ack_pending;
  const acknowledged = reader?.ack_floor.stream_seq ?? 0;
  return {
    created,
    last,
    handled: reader !== undefined && waiting === 0 ? last : acknowledged,
    waiting,
    async readOldestAgeMs() {
      if (waiting === 0) return 0;
      const next = Math.max(state.first_seq, acknowledged + 1);
      // A missing message was acknowledged out of order, or dropped.
      const oldest = await streams.getMessage(stream, { seq: next }).catch(undefinedIfNotFound);
      return oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.time.getTime());
    },
  };
}
