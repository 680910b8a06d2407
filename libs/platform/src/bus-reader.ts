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

const batchSize = 500;
const retryPauseMs = 500;
/** Maximum ms to fetch messages that are already in the stream. */
const fetchMs = 1_000;
/** Maximum ms of one request while the stream has no new message. */
const waitMs = 30_000;

export interface StreamAccess {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
}

export interface ReaderOptions {
  readonly stream: string;
  readonly durable: string;
  readonly log: Logger;
  /** Time in ms to wait for more messages after the first one. */
  readonly gatherMs: number;
  /** Time in ms after which NATS delivers unacknowledged messages again. */
  readonly redeliverAfterMs: number;
  handle(bodies: readonly string[]): Promise<void>;
  /** Returns undefined while NATS is unavailable. */
  access(): StreamAccess | undefined;
  onStreamMissing(): void;
}

/** Reads a stream through a durable consumer until it is disposed. */
export class BusReader implements AsyncDisposable {
  readonly #options: ReaderOptions;
  readonly #reading: Promise<void>;
  #consumer: Consumer | undefined;
  #endWait: (() => void) | undefined;
  #resets = 0;
  #stopped = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#reading = this.#readBatches();
  }

  /**
   * Ends the current wait for messages, and finds the consumer again. NATS may have lost the consumer, and does not
   * answer a request to an unknown one.
   */
  reset(): void {
    this.#resets++;
    this.#consumer = undefined;
    this.#endWait?.();
  }

  /** Stops after the current batch. If its handler fails, the batch is returned to NATS. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    this.reset();
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
    const resets = this.#resets;
    const consumer = this.#consumer ?? (await this.#ensureConsumer());
    if (resets !== this.#resets) return;
    this.#consumer = consumer;
    const messages = await this.#fetch(consumer);
    // An empty batch may mean that the consumer was deleted.
    if (messages.length === 0) this.#consumer = undefined;
    else await this.#handle(messages);
  }

  /** Creates the consumer, unless it exists with the same settings. */
  async #ensureConsumer(): Promise<Consumer> {
    const { stream, durable, redeliverAfterMs } = this.#options;
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
   * Waits for a first message, then `gatherMs` for more, and fetches the others in one request. Separate requests would
   * wake this process and NATS for every message.
   */
  async #fetch(consumer: Consumer): Promise<readonly JsMsg[]> {
    const waiting = await consumer.fetch({ max_messages: 1, expires: waitMs });
    if (this.#consumer !== consumer) waiting.stop();
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

  async #untilEnded<Result>(waited: Promise<Result>, end: () => void): Promise<Result> {
    this.#endWait = end;
    if (this.#stopped) end();
    return await waited.finally(() => (this.#endWait = undefined));
  }

  async #handle(messages: readonly JsMsg[]): Promise<void> {
    const { stream, log, handle, redeliverAfterMs } = this.#options;
    const bodies = messages.map((message) => message.string());
    // Until the batch is handled, NATS must not deliver it to another reader.
    const extend = (): void => messages.forEach((message) => message.working());
    const timer = setInterval(extend, redeliverAfterMs / 2);
    using _ = { [Symbol.dispose]: () => clearInterval(timer) };
    for (let hasLogged = false; ; hasLogged = true)
      try {
        await handle(bodies);
        break;
      } catch (error) {
        if (this.#stopped) {
          for (const message of messages) message.nak(retryPauseMs); // delivered again soon, not only after the timeout
          throw error;
        }
        if (!hasLogged) log.warn({ err: error, stream }, "handling events failed; trying again");
        await pause();
      }
    for (const message of messages) message.ack();
  }
}

async function fetchWaiting(consumer: Consumer, { redelivered }: JsMsg): Promise<readonly JsMsg[]> {
  // `num_pending` does not include redelivered messages, which arrive as a complete batch.
  const waiting = redelivered ? batchSize : (await consumer.info()).num_pending;
  if (waiting === 0) return [];
  return collectMessages(await consumer.fetch({ max_messages: Math.min(waiting, batchSize - 1), expires: fetchMs }));
}

async function collectMessages(batch: AsyncIterable<JsMsg>): Promise<readonly JsMsg[]> {
  const messages: JsMsg[] = [];
  try {
    for await (const message of batch) messages.push(message);
  } catch (error) {
    if (messages.length === 0) throw error;
  }
  return messages;
}

function isStreamMissing(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return error.code === ErrorCode.NoResponders.toString() || error.api_error?.err_code === streamNotFound;
}

export const streamNotFound = 10_059;

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, retryPauseMs));
}
