import { createInbox, headers, type Msg, type NatsConnection } from "nats";
import { streamNotFound } from "./bus-reader.ts";

/** An event to be published to JetStream. */
export interface BusMessage {
  readonly subject: string;
  readonly body: string;
  /** Identifies the message, so that JetStream drops a repetition. */
  readonly id: string;
}

/** Result of publishing a message: undefined if JetStream has stored it, otherwise the error. */
export type Published = Error | undefined;

/** Messages that were sent together. */
interface Batch {
  readonly results: Published[];
  readonly answered: boolean[];
  left: number;
  readonly done: (results: readonly Published[]) => void;
  readonly late: NodeJS.Timeout;
}

/** Error of a subject whose stream does not exist, or no longer exists. */
export class StreamGone extends Error {
  override readonly name = "StreamGone";
}

/** Status of an answer if a subject has no listener. */
const noResponders = 503;
const messageId = "Nats-Msg-Id";

/**
 * Publishes batches to JetStream. All answers arrive through one subscription, and a batch has one promise and one
 * timer. The client's publish would create a promise, a timer and an Error with its stack for each message.
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
   * Resolves when JetStream has answered for each message, or after `ackMs`, with the results in the order of the
   * messages.
   */
  publish(messages: readonly BusMessage[]): Promise<readonly Published[]> {
    if (messages.length === 0) return Promise.resolve([]);
    const name = (this.#count++).toString(36);
    const { promise, resolve: done } = Promise.withResolvers<readonly Published[]>();
    const late = setTimeout(() => this.#give(name, new Error("JetStream did not answer in time")), this.#ackMs);
    const results = Array.from<Published>({ length: messages.length });
    this.#batches.set(name, { results, answered: [], left: messages.length, done, late });
    try {
      for (const [at, { subject, body, id }] of messages.entries()) {
        const head = headers();
        head.set(messageId, id);
        this.#connection.publish(subject, body, { reply: `${this.#inbox}.${name}.${at}`, headers: head });
      }
    } catch (error) {
      this.#give(name, error instanceof Error ? error : new Error(String(error)));
    }
    return promise;
  }

  /** Resolves all unanswered batches with an error. */
  [Symbol.dispose](): void {
    for (const name of this.#batches.keys()) this.#give(name, new Error("the connection to NATS was closed"));
  }

  readonly #answered = (failed: Error | null, message: Msg): void => {
    const [name = "", at = ""] = message.subject.slice(this.#inbox.length + 1).split(".");
    const batch = this.#batches.get(name);
    const index = Number(at);
    if (batch === undefined || batch.answered[index] === true) return;
    batch.answered[index] = true;
    batch.results[index] = failed ?? resultOf(message);
    if (--batch.left === 0) this.#end(name, batch);
  };

  /** Ends a batch without waiting for its remaining answers. */
  #give(name: string, error: Error): void {
    const batch = this.#batches.get(name);
    if (batch === undefined) return;
    for (const at of batch.results.keys()) if (batch.answered[at] !== true) batch.results[at] = error;
    this.#end(name, batch);
  }

  #end(name: string, { late, done, results }: Batch): void {
    this.#batches.delete(name);
    clearTimeout(late);
    done(results);
  }
}

function resultOf(message: Msg): Published {
  if (message.headers?.code === noResponders) return new StreamGone("no stream keeps this subject");
  const text = message.string();
  if (text.startsWith('{"stream":')) return undefined;
  const code = /"err_code":(\d+)/.exec(text)?.[1];
  const reason = `JetStream has not stored a message: ${text.slice(0, 200)}`;
  return Number(code) === streamNotFound ? new StreamGone(reason) : new Error(reason);
}
