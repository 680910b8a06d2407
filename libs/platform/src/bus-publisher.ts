import { createInbox, headers, type Msg, type NatsConnection } from "nats";
import { streamNotFound } from "./bus-reader.ts";

/** An event to be published to JetStream. */
export interface BusMessage {
  readonly subject: string;
  readonly body: string;
  /** JetStream drops a message if it already has one with this id. */
  readonly id: string;
}

/** Undefined if JetStream has stored the message. */
export type PublishResult = Error | undefined;

interface Batch {
  readonly results: PublishResult[];
  readonly answered: boolean[];
  unansweredCount: number;
  readonly resolve: (results: readonly PublishResult[]) => void;
  readonly timeout: NodeJS.Timeout;
}

/** Error for a subject without a stream. */
export class StreamMissing extends Error {
  override readonly name = "StreamGone";
}

const noResponders = 503;
const messageIdHeader = "Nats-Msg-Id";

/**
 * Publishes batches of messages to JetStream with one promise and one timer per batch. The client library's `publish`
 * creates a promise, a timer and an Error with a stack trace for each message.
 */
export class BusPublisher implements Disposable {
  readonly #connection: NatsConnection;
  readonly #ackMs: number;
  readonly #inbox = createInbox();
  readonly #batches = new Map<string, Batch>();
  #count = 0;

  constructor(connection: NatsConnection, ackMs: number) {
    this.#connection = connection;
    this.#ackMs = ackMs;
    connection.subscribe(`${this.#inbox}.>`, { callback: this.#answered });
  }

  /**
   * Resolves after all answers, at most after `ackMs`. The results have the order of the messages. A message that cannot
   * be sent, for example because it is larger than NATS accepts, does not affect the others.
   */
  publish(messages: readonly BusMessage[]): Promise<readonly PublishResult[]> {
    if (messages.length === 0) return Promise.resolve([]);
    const name = (this.#count++).toString(36);
    const { promise, resolve } = Promise.withResolvers<readonly PublishResult[]>();
    const timeout = setTimeout(() => this.#fail(name, new Error("JetStream did not answer in time")), this.#ackMs);
    const results = Array.from<PublishResult>({ length: messages.length });
    this.#batches.set(name, { results, answered: [], unansweredCount: messages.length, resolve, timeout });
    for (const [index, { subject, body, id }] of messages.entries()) {
      const head = headers();
      head.append(messageIdHeader, id);
      try {
        this.#connection.publish(subject, body, { reply: `${this.#inbox}.${name}.${index}`, headers: head });
      } catch (error) {
        this.#settle(name, index, error instanceof Error ? error : new Error(String(error)));
      }
    }
    return promise;
  }

  [Symbol.dispose](): void {
    for (const name of this.#batches.keys()) this.#fail(name, new Error("the connection to NATS was closed"));
  }

  readonly #answered = (failed: Error | null, message: Msg): void => {
    const [name = "", at = ""] = message.subject.slice(this.#inbox.length + 1).split(".");
    this.#settle(name, Number(at), failed ?? resultOf(message));
  };

  #settle(name: string, index: number, result: PublishResult): void {
    const batch = this.#batches.get(name);
    if (batch === undefined || batch.answered[index] === true) return;
    batch.answered[index] = true;
    batch.results[index] = result;
    if (--batch.unansweredCount === 0) this.#end(name, batch);
  }

  #fail(name: string, error: Error): void {
    const batch = this.#batches.get(name);
    if (batch === undefined) return;
    for (const index of batch.results.keys()) if (batch.answered[index] !== true) batch.results[index] = error;
    this.#end(name, batch);
  }

  #end(name: string, { timeout, resolve, results }: Batch): void {
    this.#batches.delete(name);
    clearTimeout(timeout);
    resolve(results);
  }
}

function resultOf(message: Msg): PublishResult {
  if (message.headers?.code === noResponders) return new StreamMissing("no stream stores this subject");
  const text = message.string();
  if (text.startsWith('{"stream":')) return undefined;
  const code = /"err_code":(\d+)/.exec(text)?.[1];
  const reason = `JetStream did not store a message: ${text.slice(0, 200)}`;
  return Number(code) === streamNotFound ? new StreamMissing(reason) : new Error(reason);
}
