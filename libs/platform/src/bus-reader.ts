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

/** Maximum number of messages in one batch. */
const batchSize = 500;
const pauseMs = 500;
/** Maximum ms to fetch messages that are already in the stream. */
const fetchMs = 1_000;
/** Maximum ms that one request waits for a first message. Then the request is repeated. */
const waitMs = 30_000;
/** Time in ms after which NATS delivers unacknowledged messages again. Handling a batch takes a fraction of it. */
const redeliverAfterMs = 10_000;

/** Connection of the bus, and its JetStream client. */
export interface StreamAccess {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
}

/** Stream, consumer and callbacks of a reader. */
export interface ReaderOptions {
  readonly stream: string;
  readonly durable: string;
  readonly log: Logger;
  /** Time in ms to wait for more messages after the first one has arrived. */
  readonly gatherMs: number;
  handle(bodies: readonly string[]): Promise<void>;
  /** Returns the connection; undefined while NATS is unavailable. */
  access(): StreamAccess | undefined;
  onStreamMissing(): void;
}

/** Reads a stream through a durable consumer until it is disposed. */
export class BusReader implements AsyncDisposable {
  readonly #options: ReaderOptions;
  readonly #reading: Promise<void>;
  /** Undefined before the consumer is found, after an error and after an empty batch. */
  #consumer: Consumer | undefined;
  /** Ends the current wait for messages; undefined if no wait is running. */
  #endWait: (() => void) | undefined;
  #stopped = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#reading = this.#readBatches();
  }

  /** Ends the current wait for messages. Called if NATS becomes unavailable or the reader is disposed. */
  wake(): void {
    this.#endWait?.();
  }

  /** Stops reading. The current batch is handled, or returned to NATS if its handler fails. */
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
        if (isStreamMissing(error)) this.#options.onStreamMissing();
        if (this.#options.access() !== undefined && !this.#stopped)
          log.warn({ err: error, stream }, "reading events failed; trying again");
        await pause();
      }
    }
  }

  async #readBatch(): Promise<void> {
    this.#consumer ??= await this.#findConsumer();
    const messages = await this.#fetch(this.#consumer);
    // An empty batch may mean that the consumer was deleted, so the consumer is looked up again.
    if (messages.length === 0) this.#consumer = undefined;
    else await this.#handle(messages);
  }

  /** Finds or creates the durable consumer. Adding an existing consumer with the same settings has no effect. */
  async #findConsumer(): Promise<Consumer> {
    const { stream, durable } = this.#options;
    const access = this.#options.access();
    if (access === undefined) throw new Error("nats is unavailable");
    const management = await access.connection.jetstreamManager({ checkAPI: false });
    await management.consumers.add(stream, {
      durable_name: durable,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(redeliverAfterMs),
    });
    return access.jetstream.consumers.get(stream, durable);
  }

  /**
   * Waits for a first message, then `options.gatherMs` for more, and fetches those in one request. Fetching each one
   * separately would wake this process and NATS for every message. While the stream has no new messages, one request
   * runs for `waitMs`.
   */
  async #fetch(consumer: Consumer): Promise<readonly JsMsg[]> {
    const waiting = await consumer.fetch({ max_messages: 1, expires: waitMs });
    const messages = await this.#untilEnded(collectMessages(waiting), () => waiting.stop());
    const [first] = messages;
    if (first === undefined || this.#stopped) return messages;
    if (first.info.pending < batchSize - 1) await this.#gather();
    return [first, ...(await fetchWaiting(consumer, first).catch(() => []))];
  }

  #gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#options.gatherMs);
    return this.#untilEnded(promise, resolve).finally(() => clearTimeout(timer));
  }

  /** Waits for a promise; `wake` can end the wait early by calling `end`. */
  async #untilEnded<Result>(waited: Promise<Result>, end: () => void): Promise<Result> {
    this.#endWait = end;
    if (this.#stopped) end();
    return await waited.finally(() => (this.#endWait = undefined));
  }

  async #handle(messages: readonly JsMsg[]): Promise<void> {
    const { stream, log, handle } = this.#options;
    const bodies = messages.map((message) => message.string());
    for (let hasLogged = false; ; hasLogged = true)
      try {
        await handle(bodies);
        break;
      } catch (error) {
        if (this.#stopped) {
          for (const message of messages) message.nak(pauseMs); // repeated soon, not after the timeout
          throw error;
        }
        if (!hasLogged) log.warn({ err: error, stream }, "handling events failed; trying again");
        for (const message of messages) message.working();
        await pause();
      }
    for (const message of messages) message.ack();
  }
}

/** Fetches the messages after the first one, at most `batchSize - 1`. */
async function fetchWaiting(consumer: Consumer, { redelivered }: JsMsg): Promise<readonly JsMsg[]> {
  // `num_pending` does not count redelivered messages. If the first message is redelivered, the rest of its batch is
  // too, so a complete batch is requested.
  const waiting = redelivered ? batchSize : (await consumer.info()).num_pending;
  if (waiting === 0) return [];
  return collectMessages(await consumer.fetch({ max_messages: Math.min(waiting, batchSize - 1), expires: fetchMs }));
}

/** Collects the messages of a fetch. If the fetch fails after some messages have arrived, these are returned. */
async function collectMessages(batch: AsyncIterable<JsMsg>): Promise<readonly JsMsg[]> {
  const messages: JsMsg[] = [];
  try {
    for await (const message of batch) messages.push(message);
  } catch (error) {
    if (messages.length === 0) throw error;
  }
  return messages;
}

/** Returns whether an error means that the stream does not exist. */
function isStreamMissing(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.code === ErrorCode.NoResponders.toString() || error.api_error?.err_code === streamNotFound;
}

/** JetStream's error code for a missing stream. */
export const streamNotFound = 10_059;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
