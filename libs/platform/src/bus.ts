import type { ConnectionOptions } from "node:tls";
import {
  AckPolicy,
  connect,
  ErrorCode,
  Events,
  nanos,
  NatsError,
  type JetStreamClient,
  type JsMsg,
  type NatsConnection,
  type TlsOptions,
} from "nats";
import { readBacklog, type Backlog } from "./bus-backlog.ts";
import { absent, ensureStreams, StreamRefused, type StreamBounds } from "./bus-streams.ts";
import { certificateRefused, identityAmong, withoutCertificate } from "./certificate.ts";
import type { Logger } from "./log.ts";
import { observeStore } from "./metrics.ts";

/** The event bus, as far as a service uses it. */
export interface Bus extends AsyncDisposable {
  /** Resolves when JetStream has stored the message; `id` makes a repetition harmless. Rejects at once while NATS is away. */
  publish(subject: string, body: string, id: string): Promise<void>;
  /**
   * Reads a stream through a durable consumer until disposed. A batch that the handler rejects is kept and handed to it
   * again, also where the stream is deleted meanwhile; what is acknowledged has been handled.
   */
  consume(stream: string, durable: string, handle: (bodies: readonly string[]) => Promise<void>): AsyncDisposable;
  /**
   * Reads how far a durable reader is behind its stream; undefined where there is no such stream. Rejects while NATS is away.
   */
  backlog(stream: string, durable: string): Promise<Backlog | undefined>;
  /** Whether NATS is there and has the streams. */
  readonly connected: boolean;
  /** How far a durable consumer is. Rejects while NATS is away. */
  progress(stream: string, durable: string): Promise<Progress>;
}

/** Sequences of a stream. */
export interface Progress {
  /** The newest message. */
  readonly last: number;
  /** All messages up to here were handled. */
  readonly handled: number;
}

export interface BusLimits extends StreamBounds {
  /** Longest wait for JetStream's acknowledgement. */
  readonly ackMs: number;
}

const defaults: BusLimits = {
  duplicateWindowMs: 600_000,
  keepMs: 30 * 86_400_000,
  keepBytes: 1024 ** 3,
  ackMs: 5_000,
  replicas: 1,
};
/** Most messages that one fetch of a consumer takes. */
const batchSize = 500;
const pauseMs = 500;
/** Longest wait of one fetch for messages. */
const fetchMs = 1_000;
/** A batch whose reader died comes again after this; counting it takes a fraction of it. */
const redeliverAfterMs = 10_000;

/**
 * Connects to NATS in the background and for good: a start waits for no more than the first attempt, an outage rejects
 * publishes at once and heals by itself. Creates the event streams where they are absent. Throws StartError where the
 * first attempt met a certificate that is refused.
 */
export async function openBus(url: string, log: Logger, limits: Partial<BusLimits> = {}): Promise<Bus> {
  const servers = url.split(",").map((server) => server.trim());
  const bus = new JetStreamBus(servers, log, { ...defaults, ...limits });
  const refused = certificateRefused("NATS", await bus.firstTry);
  if (refused === undefined) return bus;
  await bus[Symbol.asyncDispose]();
  throw refused;
}

class JetStreamBus implements Bus {
  readonly #servers: readonly string[];
  readonly #log: Logger;
  readonly #bounds: BusLimits;
  readonly #opened: Promise<void>;
  readonly #firstTry = Promise.withResolvers<unknown>();
  #connection: NatsConnection | undefined;
  #jetstream: JetStreamClient | undefined;
  #closed = false;
  #connected = false;
  /** Under way while streams are looked for and made anew. */
  #mending: Promise<void> | undefined;

  constructor(servers: readonly string[], log: Logger, bounds: BusLimits) {
    this.#servers = servers;
    this.#log = log;
    this.#bounds = bounds;
    this.#report(false); // from the start: without a sample no alert fires
    this.#opened = this.#connectForGood();
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Resolves when the first attempt to connect has ended, with the error that it ended with. */
  get firstTry(): Promise<unknown> {
    return this.#firstTry.promise;
  }

  #report(connected: boolean): void {
    this.#connected = connected;
    observeStore("nats", connected);
  }

  async publish(subject: string, body: string, id: string): Promise<void> {
    if (!this.connected || this.#jetstream === undefined) throw new Error("nats is away");
    try {
      await this.#jetstream.publish(subject, body, { msgID: id });
    } catch (error) {
      if (isStreamGone(error)) this.#mend();
      throw error;
    }
  }

  consume(stream: string, durable: string, handle: (bodies: readonly string[]) => Promise<void>): AsyncDisposable {
    const reader = { stopped: false };
    const reading = this.#readBatches(reader, stream, durable, handle);
    return {
      [Symbol.asyncDispose]: async () => {
        reader.stopped = true;
        await reading;
      },
    };
  }

  async backlog(stream: string, durable: string): Promise<Backlog | undefined> {
    const connection = this.#connection;
    if (connection === undefined || connection.isClosed()) throw new Error("nats is away");
    return readBacklog(connection, stream, durable);
  }

  async progress(stream: string, durable: string): Promise<Progress> {
    const connection = this.#connection;
    if (!this.connected || connection === undefined) throw new Error("nats is away");
    const { streams, consumers } = await connection.jetstreamManager();
    const { last_seq: last } = (await streams.info(stream)).state;
    // A consumer that was not made yet has handled nothing.
    const found = await consumers.info(stream, durable).catch(absent);
    if (found === undefined) return { last, handled: 0 };
    return { last, handled: found.num_pending + found.num_ack_pending === 0 ? last : found.ack_floor.stream_seq };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#connection?.close().catch(() => undefined);
    await Promise.all([this.#opened, this.#mending]);
  }

  /**
   * Makes streams anew that were deleted, or that went with NATS's store. Until they are there NATS counts as away: what
   * would be published stays where it is.
   */
  #mend(): void {
    if (this.#connected) this.#log.warn("streams of events may be gone: looking for them");
    this.#report(false);
    this.#mending ??= this.#makeStreams().finally(() => {
      this.#mending = undefined;
    });
  }

  async #makeStreams(): Promise<void> {
    let complained = false;
    while (!this.#closed) {
      const connection = this.#connection;
      try {
        if (connection === undefined || connection.isClosed()) return;
        await ensureStreams(connection, this.#bounds, this.#log);
        this.#report(true);
        this.#log.info("nats is back");
        return;
      } catch (error) {
        if (!complained) this.#log.warn({ err: withoutCertificate(error) }, "streams of events are not there");
        complained = true;
        await pause();
      }
    }
  }

  async #connectForGood(): Promise<void> {
    let said: string | undefined;
    while (!this.#closed) {
      try {
        await this.#connect();
        if (said !== undefined) this.#log.info("nats is there");
        return;
      } catch (error) {
        this.#firstTry.resolve(error);
        const words = error instanceof StreamRefused ? "events cannot be kept" : "nats is away";
        if (words !== said) this.#log.warn({ err: withoutCertificate(error) }, words);
        said = words;
        await this.#connection?.close().catch(() => undefined);
        await pause();
      }
    }
  }

  async #connect(): Promise<void> {
    const { username, password, protocol } = new URL(this.#servers[0] ?? "");
    // Options of Node's own, which the client hands on beside those that it knows.
    const tls: TlsOptions & ConnectionOptions = { checkServerIdentity: identityAmong(this.#servers) };
    const connection = await connect({
      servers: [...this.#servers],
      ...(username === "" ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      // A client that says tls: is refused by a server without TLS.
      ...(protocol === "tls:" ? { tls } : {}),
      maxReconnectAttempts: -1,
      // A password that is being changed is no reason to give up either.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      timeout: 2_000,
      // Whence each publish was called costs an error object a call.
      noAsyncTraces: true,
    });
    this.#connection = connection;
    this.#firstTry.resolve(undefined);
    if (this.#closed) return await connection.close();
    void this.#watch(connection);
    await ensureStreams(connection, this.#bounds, this.#log);
    this.#jetstream = connection.jetstream({ timeout: this.#bounds.ackMs });
    this.#report(true);
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      // It may have come back without its store. Before the first look at the streams `#connect` sees to them.
      if (type === Events.Reconnect && this.#jetstream !== undefined) this.#mend();
      // Each refused attempt is reported again.
      if (type !== Events.Disconnect || !this.#connected) continue;
      this.#report(false);
      this.#log.warn("nats is away");
    }
  }

  async #readBatches(
    reader: { readonly stopped: boolean },
    stream: string,
    durable: string,
    handle: (bodies: readonly string[]) => Promise<void>,
  ): Promise<void> {
    while (!reader.stopped && !this.#closed) {
      try {
        await this.#readBatch(reader, stream, durable, handle);
      } catch (error) {
        if (isStreamGone(error)) this.#mend();
        if (this.connected && !reader.stopped && !this.#closed) {
          this.#log.warn({ err: error, stream }, "reading events failed; trying again");
        }
        await pause();
      }
    }
  }

  async #readBatch(
    reader: { readonly stopped: boolean },
    stream: string,
    durable: string,
    handle: (bodies: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const [connection, jetstream] = [this.#connection, this.#jetstream];
    if (!this.connected || connection === undefined || jetstream === undefined) throw new Error("nats is away");
    const management = await connection.jetstreamManager();
    // Idempotent with the same settings: the first to come makes it.
    await management.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(redeliverAfterMs),
    });
    const consumer = await jetstream.consumers.get(stream, durable);
    const messages = await fetched(await consumer.fetch({ max_messages: batchSize, expires: fetchMs }));
    if (messages.length === 0) return;
    const bodies = messages.map((message) => message.string());
    for (let complained = false; ; complained = true)
      try {
        await handle(bodies);
        break;
      } catch (error) {
        if (reader.stopped || this.#closed) {
          for (const message of messages) message.nak(pauseMs); // soon again, not when its time is over
          throw error;
        }
        if (!complained) this.#log.warn({ err: error, stream }, "handling events failed; trying again");
        for (const message of messages) message.working();
        await pause();
      }
    for (const message of messages) message.ack();
  }
}

/** What a fetch brings. Where the stream is deleted meanwhile, what came before that is not lost with it. */
async function fetched(batch: AsyncIterable<JsMsg>): Promise<readonly JsMsg[]> {
  const messages: JsMsg[] = [];
  try {
    for await (const message of batch) messages.push(message);
  } catch (error) {
    if (messages.length === 0) throw error;
  }
  return messages;
}

/** Whether the error is one of those that JetStream has for a stream that is gone. */
function isStreamGone(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.code === ErrorCode.NoResponders.toString() || error.api_error?.err_code === streamNotFound;
}

/** JetStream's code for a stream that is not there. */
const streamNotFound = 10_059;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
