import {
  AckPolicy,
  connect,
  nanos,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type NatsConnection,
} from "nats";
import { eventStreams } from "@modelgate/contracts";
import type { Logger } from "./log.ts";

/** The event bus, as far as a service uses it. */
export interface Bus extends AsyncDisposable {
  /** Resolves when JetStream has stored the message; `id` makes a repetition harmless. Rejects at once while NATS is away. */
  publish(subject: string, body: string, id: string): Promise<void>;
  /** Reads a stream through a durable consumer until disposed; a batch that the handler rejects comes again. */
  consume(stream: string, durable: string, handle: (bodies: readonly string[]) => Promise<void>): AsyncDisposable;
  readonly connected: boolean;
}

export interface BusLimits {
  /** Ids remembered by JetStream to drop repetitions. */
  readonly duplicateWindowMs: number;
  /** Oldest event that a stream keeps. */
  readonly keepMs: number;
  /** Largest size of a stream's files. */
  readonly keepBytes: number;
  /** Longest wait for JetStream's acknowledgement. */
  readonly ackMs: number;
}

const defaults: BusLimits = {
  duplicateWindowMs: 600_000,
  keepMs: 30 * 86_400_000,
  keepBytes: 1024 ** 3,
  ackMs: 5_000,
};
/** Most messages that one fetch of a consumer takes. */
const batchSize = 200;
const pauseMs = 500;

/**
 * Connects to NATS in the background and for good: a start never waits for it, an outage rejects publishes at once
 * and heals by itself. Creates the event streams where they are absent.
 */
export function openBus(url: string, log: Logger, limits: Partial<BusLimits> = {}): Bus {
  const bounds = { ...defaults, ...limits };
  const state: { connection?: NatsConnection; jetstream?: JetStreamClient; connected: boolean; closed: boolean } = {
    connected: false,
    closed: false,
  };
  const opened = connectForGood();

  async function connectForGood(): Promise<void> {
    for (let complained = false; !state.closed; complained = true) {
      try {
        const connection = await connect({
          servers: url.split(","),
          maxReconnectAttempts: -1,
          reconnectTimeWait: 250,
          timeout: 2_000,
        });
        if (state.closed) return await connection.close();
        state.connection = connection;
        void watch(connection);
        await ensureStreams(connection, bounds);
        state.jetstream = connection.jetstream({ timeout: bounds.ackMs });
        state.connected = true;
        if (complained) log.info("nats is there");
        return;
      } catch (error) {
        if (!complained) log.warn({ err: error }, "nats is away");
        await state.connection?.close().catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  async function watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") {
        state.connected = false;
        log.warn("nats is away");
      } else if (type === "reconnect") {
        state.connected = true;
        log.info("nats is back");
      }
    }
  }

  return {
    get connected() {
      return state.connected;
    },
    async publish(subject, body, id) {
      if (!state.connected || state.jetstream === undefined) throw new Error("nats is away");
      await state.jetstream.publish(subject, body, { msgID: id });
    },
    consume(stream, durable, handle) {
      const reader = { stopped: false };
      const reading = readBatches(reader, stream, durable, handle);
      return {
        [Symbol.asyncDispose]: async () => {
          reader.stopped = true;
          await reading;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      state.closed = true;
      await state.connection?.close().catch(() => undefined);
      await opened;
    },
  };

  async function readBatches(
    reader: { readonly stopped: boolean },
    stream: string,
    durable: string,
    handle: (bodies: readonly string[]) => Promise<void>,
  ): Promise<void> {
    while (!reader.stopped && !state.closed) {
      try {
        await readBatch(stream, durable, handle);
      } catch (error) {
        if (state.connected && !reader.stopped && !state.closed)
          log.warn({ err: error, stream }, "reading events failed; trying again");
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  async function readBatch(
    stream: string,
    durable: string,
    handle: (bodies: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const { connection, jetstream } = state;
    if (!state.connected || connection === undefined || jetstream === undefined) throw new Error("nats is away");
    const management = await connection.jetstreamManager();
    await management.consumers
      .add(stream, { durable_name: durable, ack_policy: AckPolicy.Explicit, ack_wait: nanos(30_000) })
      .catch(() => undefined);
    const consumer = await jetstream.consumers.get(stream, durable);
    const messages = [];
    for await (const message of await consumer.fetch({ max_messages: batchSize, expires: 1_000 }))
      messages.push(message);
    if (messages.length === 0) return;
    await handle(messages.map((message) => message.string()));
    for (const message of messages) message.ack();
  }
}

async function ensureStreams(connection: NatsConnection, bounds: BusLimits): Promise<void> {
  const management = await connection.jetstreamManager();
  for (const { name, subjects } of Object.values(eventStreams)) {
    const wanted = {
      subjects: [subjects],
      duplicate_window: nanos(bounds.duplicateWindowMs),
      max_age: nanos(bounds.keepMs),
      max_bytes: bounds.keepBytes,
    };
    try {
      await management.streams.info(name);
    } catch {
      await management.streams.add({ ...wanted, name, storage: StorageType.File, retention: RetentionPolicy.Limits });
    }
  }
}
