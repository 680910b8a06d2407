import {
  AckPolicy,
  ErrorCode,
  nanos,
  NatsError,
  type Consumer,
  type JetStreamClient,
  type JsMsg,
  type NatsConnection,
} from "nats";
import type { Logger } from "./log.ts";

/** Maximum messages of one batch. */
const batchSize = 500;
const pauseMs = 500;
/** Time in ms for which messages are collected after the first one. */
const gatherMs = 1_000;
/** Maximum ms to fetch messages that NATS has. */
const fetchMs = 1_000;
/** Maximum ms to wait for a first message before the request is repeated. */
const waitMs = 10_000;
/** Time in ms after which the batch of a dead reader is delivered again; handling a batch takes a fraction of it. */
const redeliverAfterMs = 10_000;

/** JetStream clients of a connected bus. */
export interface StreamAccess {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
}

/** Stream and consumer of a reader. */
export interface ReaderOptions {
  readonly stream: string;
  readonly durable: string;
  readonly log: Logger;
  handle(bodies: readonly string[]): Promise<void>;
  /** Returns the clients; undefined while NATS is unavailable. */
  access(): StreamAccess | undefined;
  /** Called if the stream no longer exists. */
  gone(): void;
}

/** Reads a stream through a durable consumer until disposed. */
export class BusReader implements AsyncDisposable {
  readonly #options: ReaderOptions;
  readonly #reading: Promise<void>;
  /** Undefined until the consumer was found, and after an error. */
  #consumer: Consumer | undefined;
  /** Ends the wait for a first message, or for those that follow it. */
  #endWait: (() => void) | undefined;
  #stopped = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#reading = this.#readBatches();
  }

  /** Ends the wait for a message because NATS is unavailable, or because the reader is disposed. */
  wake(): void {
    this.#endWait?.();
  }

  /** Ends the reading; the current batch is handled or returned to NATS. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.wake();
    await this.#reading;
  }

  async #readBatches(): Promise<void> {
    const { stream, log } = this.#options;
    while (!this.#stopped) {
      try {
        await this.#readBatch();
      } catch (error) {
        this.#consumer = undefined;
        if (isStreamGone(error)) this.#options.gone();
        if (this.#options.access() !== undefined && !this.#stopped)
          log.warn({ err: error, stream }, "reading events failed; trying again");
        await pause();
      }
    }
  }

  async #readBatch(): Promise<void> {
    this.#consumer ??= await this.#findConsumer();
    const messages = await this.#fetch(this.#consumer);
    // The consumer may no longer exist, so it is looked up again after each empty batch.
    if (messages.length === 0) this.#consumer = undefined;
    else await this.#handle(messages);
  }

  /** Finds or creates the durable consumer. Creating it again with the same settings has no effect. */
  async #findConsumer(): Promise<Consumer> {
    const { stream, durable } = this.#options;
    const access = this.#options.access();
    if (access === undefined) throw new Error("nats is away");
    const management = await access.connection.jetstreamManager({ checkAPI: false });
    await management.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(redeliverAfterMs),
    });
    return access.jetstream.consumers.get(stream, durable);
  }

  /**
   * Waits for a message, then a while for more, and fetches them in one batch: fetching each message separately would
   * wake this process and NATS every time. An idle stream costs a request every ten seconds.
   */
  async #fetch(consumer: Consumer): Promise<readonly JsMsg[]> {
    const waiting = await consumer.fetch({ max_messages: 1, expires: waitMs });
    const firsts = await this.#untilEnded(fetched(waiting), () => waiting.stop());
    const [first] = firsts;
    if (first === undefined || this.#stopped) return firsts;
    if (first.info.pending < batchSize - 1) await this.#gather();
    return [first, ...(await fetchWaiting(consumer, first).catch(() => []))];
  }

  #gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, gatherMs);
    return this.#untilEnded(promise, resolve).finally(() => clearTimeout(timer));
  }

  /** Waits for a promise; `wake` can end the wait. */
  async #untilEnded<Result>(waited: Promise<Result>, end: () => void): Promise<Result> {
    this.#endWait = end;
    if (this.#stopped) end();
    return await waited.finally(() => (this.#endWait = undefined));
  }

  async #handle(messages: readonly JsMsg[]): Promise<void> {
    const { stream, log, handle } = this.#options;
    const bodies = messages.map((message) => message.string());
    for (let complained = false; ; complained = true)
      try {
        await handle(bodies);
        break;
      } catch (error) {
        if (this.#stopped) {
          for (const message of messages) message.nak(pauseMs); // repeated soon, not after the timeout
          throw error;
        }
        if (!complained) log.warn({ err: error, stream }, "handling events failed; trying again");
        for (const message of messages) message.working();
        await pause();
      }
    for (const message of messages) message.ack();
  }
}

/** Fetches the messages that wait behind a consumer's first one, at most `batchSize - 1`. */
async function fetchWaiting(consumer: Consumer, { redelivered }: JsMsg): Promise<readonly JsMsg[]> {
  // Redelivered messages do not count as pending. If one message of a failed batch is redelivered, the others follow.
  const waiting = redelivered ? batchSize : (await consumer.info()).num_pending;
  if (waiting === 0) return [];
  return fetched(await consumer.fetch({ max_messages: Math.min(waiting, batchSize - 1), expires: fetchMs }));
}

/** Returns the messages of a fetch. If the stream is deleted meanwhile, the messages before that are returned. */
async function fetched(batch: AsyncIterable<JsMsg>): Promise<readonly JsMsg[]> {
  const messages: JsMsg[] = [];
  try {
    for await (const message of batch) messages.push(message);
  } catch (error) {
    if (messages.length === 0) throw error;
  }
  return messages;
}

/** Returns whether JetStream reports with this error that a stream does not exist. */
function isStreamGone(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.code === ErrorCode.NoResponders.toString() || error.api_error?.err_code === streamNotFound;
}

/** JetStream's error code for a missing stream. */
export const streamNotFound = 10_059;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
