import { Failure } from "@modelgate/contracts";
import type { FinishReason, StreamWriter, TextEvent } from "@modelgate/wires/text";
import { summaryFailure } from "./summary.ts";

/** Maximum characters of a summary. A longer one ends the stream with the failure upstream_error. */
const maxCharacters = 1_000_000;

/** Writes a model's summary as a stream of response events whose only item is the compaction. */
export class CompactionWriter implements StreamWriter {
  readonly #inner: StreamWriter;
  readonly #encrypt: (summary: string) => string;
  /** Indexes of the text parts. Reasoning is not part of the summary. */
  readonly #textParts = new Set<number>();
  readonly #pieces: string[] = [];
  #characters = 0;
  #finish: FinishReason = "other";

  constructor(inner: StreamWriter, encrypt: (summary: string) => string) {
    this.#inner = inner;
    this.#encrypt = encrypt;
  }

  write(event: TextEvent): string {
    if (event.type === "part-start" && event.opened.kind === "text") this.#textParts.add(event.part);
    if (event.type === "part-delta" && this.#textParts.has(event.part)) this.#addText(event.text);
    if (event.type === "finish" && event.choice === 0) this.#finish = event.reason;
    return "choice" in event ? "" : this.#inner.write(event);
  }

  /** Writes the compaction. Throws Failure compaction_failed if the summary is incomplete. */
  end(): string {
    const summary = this.#pieces.join("");
    const failure = summaryFailure(summary, this.#finish);
    if (failure !== undefined) throw failure;
    const value = this.#encrypt(summary);
    const part = { kind: "compaction", signature: { wire: "responses", kind: "encrypted_content", value } } as const;
    return (
      this.#inner.write({ type: "part-whole", choice: 0, part: 0, whole: part }) +
      this.#inner.write({ type: "finish", choice: 0, reason: "stop" }) +
      this.#inner.end()
    );
  }

  fail(failure: Failure, requestId: string): string {
    return this.#inner.fail(failure, requestId);
  }

  heartbeat(): string {
    return this.#inner.heartbeat();
  }

  #addText(text: string): void {
    this.#characters += text.length;
    if (this.#characters > maxCharacters) throw new Failure("upstream_error", "The summary is too large.");
    this.#pieces.push(text);
  }
}
