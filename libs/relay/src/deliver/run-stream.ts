import { setTimeout } from "node:timers/promises";
import type { BodySink, UpstreamAnswer } from "@modelgate/channels";
import type { VendorRun } from "@modelgate/wires/text";
import type { BufferedStream } from "../answers/buffered-stream.ts";
import { isEventStream, type StreamAnswerReader } from "../answers/stream-reader.ts";
import type { RouteLink } from "./route-link.ts";

/** A vendor's stream, over one connection (`BufferedStream`) or several (`RunStream`). */
export type StreamSource = Pick<BufferedStream, "abort" | "pause" | "pipe" | "resume">;

/** Maximum number of consecutive attempts to resume a stream without a new event. */
const maxResumes = 3;
/** First pause in ms before a stream is resumed. It doubles with each attempt. */
const resumePauseMs = 250;
const blankLine = Buffer.from("\n\n");

/**
 * Stream of an answer that the vendor generates in the background. If it breaks, it is resumed after its last event.
 */
export class RunStream implements BodySink, StreamSource {
  readonly #run: VendorRun;
  readonly #framing: StreamAnswerReader["framing"];
  readonly #link: Pick<RouteLink, "follow">;
  #source: StreamSource;
  #splitter: ReturnType<StreamAnswerReader["framing"]["splitter"]>;
  #sink: BodySink | undefined;
  #attempts = 0;
  #isPaused = false;
  #isAborted = false;

  constructor(
    first: StreamSource,
    { framing, run }: Pick<StreamAnswerReader, "framing"> & { readonly run: VendorRun },
    link: Pick<RouteLink, "follow">,
  ) {
    this.#source = first;
    this.#run = run;
    this.#framing = framing;
    this.#link = link;
    this.#splitter = framing.splitter();
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    this.#source.pipe(this);
  }

  pause(): void {
    this.#isPaused = true;
    this.#source.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#source.resume();
  }

  abort(): void {
    this.#isAborted = true;
    this.#source.abort();
  }

  data(chunk: Buffer): void {
    const added: Buffer[] = [];
    for (const frame of this.#splitter.push(chunk)) {
      const parsed = this.#framing.parse(frame);
      if (parsed !== undefined && !this.#run.read(parsed)) continue;
      if (parsed !== undefined) this.#attempts = 0;
      added.push(frame);
    }
    if (added.length > 0) this.#sink?.data(Buffer.concat(added));
  }

  end(): void {
    // The last event may lack the blank line after it.
    if (!this.#splitter.empty) this.data(blankLine);
    if (this.#run.hasEnded) return this.#sink?.end();
    this.fail(new Error("the stream ended before its answer"));
  }

  fail(error: Error): void {
    if (this.#isAborted || this.#attempts >= maxResumes || !this.#run.resume()) return this.#sink?.fail(error);
    void this.#reopen(error);
  }

  async #reopen(cause: Error): Promise<void> {
    let answer: UpstreamAnswer;
    try {
      await setTimeout(resumePauseMs * 2 ** this.#attempts++);
      if (this.#isAborted) return this.#sink?.fail(cause);
      answer = await this.#link.follow(this.#run.id ?? "", this.#run.lastEvent);
    } catch {
      return this.fail(cause);
    }
    if (this.#isAborted || !isEventStream(answer)) {
      answer.abort();
      return this.fail(cause);
    }
    this.#splitter = this.#framing.splitter();
    this.#source = answer;
    answer.pipe(this);
    if (this.#isPaused) answer.pause();
  }
}
