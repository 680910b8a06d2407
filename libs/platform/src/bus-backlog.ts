import type { NatsConnection } from "nats";
import { absent } from "./bus-streams.ts";

/** How far a durable reader is behind its stream. */
export interface Backlog {
  /** Events that it has not acknowledged. */
  readonly events: number;
  /** How long the oldest of them has been stored, in ms; 0 without any. */
  readonly ageMs: number;
}

/** Reads how far a durable reader is behind its stream; undefined where there is no such stream. */
export async function readBacklog(
  connection: NatsConnection,
  stream: string,
  durable: string,
): Promise<Backlog | undefined> {
  const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false });
  const state = await streams.info(stream).then((found) => found.state, absent);
  if (state === undefined) return undefined;
  const reader = await consumers.info(stream, durable).catch(absent);
  const events = reader === undefined ? state.messages : reader.num_pending + reader.num_ack_pending;
  if (events === 0) return { events, ageMs: 0 };
  const next = Math.max(state.first_seq, (reader?.ack_floor.stream_seq ?? 0) + 1);
  const oldest = await streams.getMessage(stream, { seq: next }).catch(absent);
  // Acknowledged in another order, or dropped meanwhile: the next look sees the one after it.
  return { events, ageMs: oldest === undefined ? 0 : Math.max(0, Date.now() - oldest.time.getTime()) };
}
