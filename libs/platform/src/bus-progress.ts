import type { NatsConnection } from "nats";
import { absent } from "./bus-streams.ts";

/** The position of a durable reader in its stream. */
export interface Progress {
  /** Sequence of the stream's newest message. */
  readonly last: number;
  /** All messages up to this sequence were handled. */
  readonly handled: number;
  /** Messages that the reader has not acknowledged. */
  readonly waiting: number;
  /** Reads how long the oldest of those has been stored, in ms; 0 where there is none. */
  age(): Promise<number>;
}

/** Reads how far a durable reader is in its stream; undefined where there is no such stream. */
export async function readProgress(
  connection: NatsConnection,
  stream: string,
  durable: string,
): Promise<Progress | undefined> {
  const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false });
  const [state, reader] = await Promise.all([
    streams.info(stream).then((found) => found.state, absent),
    consumers.info(stream, durable).catch(absent),
  ]);
  if (state === undefined) return undefined;
  const last = state.last_seq;
  // A reader that was not made yet has handled nothing.
  const waiting = reader === undefined ? state.messages : reader.num_pending + reader.num_ack_pending;
  const acknowledged = reader?.ack_floor.stream_seq ?? 0;
  return {
    last,
    handled: reader !== undefined && waiting === 0 ? last : acknowledged,
    waiting,
    async age() {
      if (waiting === 0) return 0;
      const next = Math.max(state.first_seq, acknowledged + 1);
      // Acknowledged in another order, or dropped meanwhile: the next look sees the one after it.
      const oldest = await streams.getMessage(stream, { seq: next }).catch(absent);
      return oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.time.getTime());
    },
  };
}
