import type { ConnectionOptions } from "node:tls";
import { connect, Events, type JetStreamClient, type NatsConnection, type TlsOptions } from "nats";
import { readProgress, type Progress } from "./bus-progress.ts";
import { BusPublisher, StreamMissing, type BusMessage, type PublishResult } from "./bus-publisher.ts";
import { BusReader, type StreamAccess } from "./bus-reader.ts";
import { ensureStreams, StreamRefused, type StreamLimits } from "./bus-streams.ts";
import { refusedCertificateError, createCertificateCheck, withoutCertificate } from "./certificate.ts";
import type { Logger } from "./log.ts";
import { observeStore } from "./metrics.ts";

/** Connection of a process to NATS JetStream. */
export interface Bus extends AsyncDisposable {
  /**
   * Publishes messages in the order of the list. Resolves after JetStream's answers, with an error for each message
   * that is not stored. Rejects immediately while NATS is unavailable.
   */
  publish(messages: readonly BusMessage[]): Promise<readonly PublishResult[]>;
  /**
   * Reads a stream through a durable consumer until the result is disposed. Messages are acknowledged after `handle`
   * resolves. If `handle` rejects, it is called again with the same batch.
   */
  consume(stream: string, durable: string, gatherMs: number, handle: BatchHandler): AsyncDisposable;
  /** Reads the position of a durable reader. Rejects while NATS is unavailable. */
  readProgress(stream: string, durable: string): Promise<Progress | undefined>;
  /** True while NATS is connected and the event streams exist. */
  readonly connected: boolean;
}

export type BatchHandler = (bodies: readonly string[]) => Promise<void>;

export interface BusLimits extends StreamLimits {
  readonly ackMs: number;
  /** Time in ms after which NATS delivers unacknowledged messages again. */
  readonly redeliverAfterMs: number;
  /**
   * Interval in ms of the PINGs on the connection. After two without an answer, the client connects again, because a
   * host that has vanished never closes a connection.
   */
  readonly pingMs: number;
}

export const defaultBusLimits: BusLimits = {
  duplicateWindowMs: 600_000,
  keepMs: 30 * 86_400_000,
  keepBytes: 1024 ** 3,
  ackMs: 5_000,
  redeliverAfterMs: 10_000,
  replicas: 1,
  pingMs: 10_000,
};
const retryPauseMs = 500;

/**
 * Connects to NATS in the background, and waits only for the first attempt. Throws StartError if NATS's certificate is
 * refused at that attempt.
 */
export async function openBus(url: string, log: Logger, limits: Partial<BusLimits> = {}): Promise<Bus> {
  const servers = url.split(",").map((server) => server.trim());
  const bus = new JetStreamBus(servers, log, { ...defaultBusLimits, ...limits });
  const refused = refusedCertificateError("NATS", await bus.firstTry);
  if (refused === undefined) return bus;
  await bus[Symbol.asyncDispose]();
  throw refused;
}

class JetStreamBus implements Bus {
  readonly #servers: readonly string[];
  readonly #log: Logger;
  readonly #limits: BusLimits;
  readonly #opened: Promise<void>;
  readonly #firstTry = Promise.withResolvers<unknown>();
  #connection: NatsConnection | undefined;
  #jetstream: JetStreamClient | undefined;
  #publisher: BusPublisher | undefined;
  readonly #readers = new Set<BusReader>();
  #closed = false;
  #connected = false;
  #restoring: Promise<void> | undefined;

  constructor(servers: readonly string[], log: Logger, limits: BusLimits) {
    this.#servers = servers;
    this.#log = log;
    this.#limits = limits;
    this.#report(false); // set at the start, because an alert cannot fire without a sample
    this.#opened = this.#connectWithRetries();
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Resolves after the first attempt to connect, with its error if it failed. */
  get firstTry(): Promise<unknown> {
    return this.#firstTry.promise;
  }

  #report(connected: boolean): void {
    this.#connected = connected;
    if (!connected) for (const reader of this.#readers) reader.reset();
    observeStore("nats", connected);
  }

  async publish(messages: readonly BusMessage[]): Promise<readonly PublishResult[]> {
    if (!this.connected || this.#publisher === undefined) throw new Error("nats is unavailable");
    const results = await this.#publisher.publish(messages);
    if (results.some((result) => result instanceof StreamMissing)) this.#restoreStreams();
    return results;
  }

  consume(stream: string, durable: string, gatherMs: number, handle: BatchHandler): AsyncDisposable {
    const reader = new BusReader({
      stream,
      durable,
      gatherMs,
      redeliverAfterMs: this.#limits.redeliverAfterMs,
      log: this.#log,
      handle,
      access: () => this.#access(),
      onStreamMissing: () => this.#restoreStreams(),
    });
    this.#readers.add(reader);
    return {
      [Symbol.asyncDispose]: async () => {
        this.#readers.delete(reader);
        await reader[Symbol.asyncDispose]();
      },
    };
  }

  #access(): StreamAccess | undefined {
    const [connection, jetstream] = [this.#connection, this.#jetstream];
    return this.#connected && connection !== undefined && jetstream !== undefined
      ? { connection, jetstream }
      : undefined;
  }

  async readProgress(stream: string, durable: string): Promise<Progress | undefined> {
    const connection = this.#connection;
    if (connection === undefined || connection.isClosed()) throw new Error("nats is unavailable");
    return readProgress(connection, stream, durable);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const reading = Array.from(this.#readers, (reader) => reader[Symbol.asyncDispose]());
    this.#publisher?.[Symbol.dispose]();
    await this.#connection?.close().catch(() => undefined);
    await Promise.all([this.#opened, this.#restoring, ...reading]);
  }

  /** Recreates lost streams. `connected` is false meanwhile, so that events stay in their outbox. */
  #restoreStreams(): void {
    if (this.#connected) this.#log.warn("streams of events may be missing: checking");
    this.#report(false);
    this.#restoring ??= this.#createStreams().finally(() => {
      this.#restoring = undefined;
    });
  }

  async #createStreams(): Promise<void> {
    let hasLogged = false;
    while (!this.#closed) {
      const connection = this.#connection;
      try {
        if (connection === undefined || connection.isClosed()) return;
        await ensureStreams(connection, this.#limits, this.#log);
        this.#report(true);
        this.#log.info("nats is connected again");
        return;
      } catch (error) {
        if (!hasLogged) this.#log.warn({ err: withoutCertificate(error) }, "streams of events are missing");
        hasLogged = true;
        await pause();
      }
    }
  }

  async #connectWithRetries(): Promise<void> {
    let lastError: string | undefined;
    while (!this.#closed) {
      try {
        await this.#connect();
        if (lastError !== undefined) this.#log.info("nats is connected");
        return;
      } catch (error) {
        this.#firstTry.resolve(error);
        const message = error instanceof StreamRefused ? "events cannot be stored" : "nats is unavailable";
        if (message !== lastError) this.#log.warn({ err: withoutCertificate(error) }, message);
        lastError = message;
        await this.#connection?.close().catch(() => undefined);
        await pause();
      }
    }
  }

  async #connect(): Promise<void> {
    const { username, password, protocol } = new URL(this.#servers[0] ?? "");
    // The client library passes all of these options to Node, also those that its type `TlsOptions` lacks.
    const tls: TlsOptions & ConnectionOptions = { checkServerIdentity: createCertificateCheck(this.#servers) };
    const connection = await connect({
      // The client library parses a password before a host name as a part of an IPv6 address.
      servers: this.#servers.map((server) => server.replace(/\/\/.*@/, "//")),
      ...(username === "" ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      // A server without TLS refuses a client with `tls`.
      ...(protocol === "tls:" ? { tls } : {}),
      maxReconnectAttempts: -1,
      // The password may be changing in a rotation.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      pingInterval: this.#limits.pingMs,
      timeout: 2_000,
      // Otherwise the client library creates an Error object for each publish.
      noAsyncTraces: true,
    });
    this.#connection = connection;
    this.#firstTry.resolve(undefined);
    if (this.#closed) return await connection.close();
    void this.#watch(connection);
    await ensureStreams(connection, this.#limits, this.#log);
    this.#jetstream = connection.jetstream({ timeout: this.#limits.ackMs });
    this.#publisher = new BusPublisher(connection, this.#limits.ackMs);
    this.#report(true);
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      // NATS may have lost its storage. The first connection is handled by `#connect`.
      if (type === Events.Reconnect && this.#jetstream !== undefined) this.#restoreStreams();
      // The client library also reports a disconnect for each failed attempt to reconnect.
      if (type !== Events.Disconnect || !this.#connected) continue;
      this.#report(false);
      this.#log.warn("nats is unavailable");
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, retryPauseMs));
}
