import { Failure } from "@modelgate/contracts";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import type { BufferBudget } from "@modelgate/platform";
import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";
import { interruptionFailure } from "./buffered-stream.ts";
import { unlimitedJson, isLargeJson, parseJson } from "../bodies/read-json.ts";

/**
 * Collects a complete answer and passes it to its reader. Rejects with the Failures of `collectAnswer` or of the reader,
 * or with upstream_error.
 */
export async function readAnswer<Read>(
  answer: UpstreamAnswer,
  { read }: { read(bytes: Buffer): Promise<Read> },
  maxBytes: number,
  budget: BufferBudget,
): Promise<Read> {
  const bytes = await collectAnswer(answer, maxBytes, budget);
  try {
    return await read(bytes);
  } catch (cause) {
    // If the reader throws another error, the vendor's answer has an unexpected shape.
    throw cause instanceof Failure ? cause : unreadableFailure("cannot be read", cause);
  }
}

/**
 * Parses a vendor's complete answer. Other calls may run between the steps that parse a large answer. Rejects with
 * Failure upstream_error unless it is a JSON object.
 */
export async function parseAnswer(bytes: Buffer): Promise<JsonObject> {
  return requireObject(await parseValue(bytes));
}

async function parseValue(bytes: Buffer): Promise<unknown> {
  try {
    return isLargeJson(bytes) ? await parseJson(bytes, unlimitedJson) : JSON.parse(bytes.toString());
  } catch (cause) {
    throw unreadableFailure("is not valid JSON", cause);
  }
}

function requireObject(value: unknown): JsonObject {
  if (!isRecord(value)) throw unreadableFailure("is not a JSON object");
  return value;
}

/**
 * Parses a vendor's complete answer. An array that is not empty becomes the member `data` of an object. Rejects with
 * Failure upstream_error for any other value that is not an object, and for an object with an `error` object.
 */
export async function parseAnyAnswer(bytes: Buffer): Promise<JsonObject> {
  const value = await parseValue(bytes);
  const answer = Array.isArray(value) && value.length > 0 ? { data: value } : requireObject(value);
  if (isRecord(answer["error"])) throw new Failure("upstream_error", "The vendor answered with an error.");
  return answer;
}

function unreadableFailure(reason: string, cause?: unknown): Failure {
  return new Failure("upstream_error", `The vendor's answer ${reason}.`, { cause });
}

/**
 * Collects a complete body. Rejects with Failure answer_too_large, upstream_error, upstream_timeout, or
 * server_overloaded if the process's memory limit is reached.
 */
export function collectAnswer(answer: UpstreamAnswer, maxBytes: number, budget: BufferBudget): Promise<Buffer> {
  const collector = new AnswerCollector(answer, maxBytes, budget);
  answer.pipe(collector);
  return collector.body.promise;
}

/** Collects the chunks of an answer. Until it is complete, the chunks count toward the process's memory limit. */
class AnswerCollector implements BodySink {
  readonly body = Promise.withResolvers<Buffer>();
  readonly #answer: UpstreamAnswer;
  readonly #maxBytes: number;
  readonly #budget: BufferBudget;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #hasEnded = false;

  constructor(answer: UpstreamAnswer, maxBytes: number, budget: BufferBudget) {
    this.#answer = answer;
    this.#maxBytes = maxBytes;
    this.#budget = budget;
  }

  data(chunk: Buffer): void {
    if (this.#hasEnded) return;
    try {
      if (this.#size + chunk.length > this.#maxBytes) throw tooLargeFailure(this.#maxBytes);
      this.#budget.add(chunk.length);
    } catch (failure) {
      this.#fail(failure instanceof Error ? failure : new Failure("upstream_error"));
      return this.#answer.abort();
    }
    this.#size += chunk.length;
    this.#chunks.push(chunk);
  }

  end(): void {
    if (this.#hasEnded) return;
    const [first] = this.#chunks;
    this.#release();
    this.body.resolve(
      this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size),
    );
  }

  fail(error: Error): void {
    if (!this.#hasEnded) this.#fail(interruptionFailure(error));
  }

  #fail(failure: Error): void {
    this.#release();
    this.body.reject(failure);
  }

  #release(): void {
    this.#hasEnded = true;
    this.#budget.release(this.#size);
  }
}

/** Creates the failure of an answer that is too large. Its code does not blame the channel. */
function tooLargeFailure(maxBytes: number): Failure {
  return new Failure(
    "answer_too_large",
    `The vendor's answer is larger than the ${maxBytes} bytes that the gateway passes on; request less output.`,
  );
}
