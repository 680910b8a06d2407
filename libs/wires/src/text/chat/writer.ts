import { failureFrames, type Failure, type Units } from "@modelgate/contracts";
import type { TextEvent } from "../hub/answer.ts";
import type { AnswerContext, StreamWriter } from "../hub/codec.ts";
import { dispatch } from "../hub/dispatch.ts";
import { PartWriter } from "./part-writer.ts";
import { Chunks } from "./chunks.ts";
import { answerStyleOf, type AnswerStyle } from "./answer-parts.ts";
import { renderUsage } from "./usage.ts";

type Handlers = { readonly [Type in TextEvent["type"]]?: (event: Extract<TextEvent, { type: Type }>) => string };

/**
 * A stream of chunks: the role first, a chunk that ends each choice, the usage where the client asked for it, and
 * `[DONE]` after a normal end only.
 */
export class ChatWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #chunks: Chunks;
  readonly #style: AnswerStyle;
  readonly #choices = new Map<number, PartWriter>();
  #usage: Units | undefined;
  readonly #on: Handlers = {
    start: ({ usage }) => {
      this.#usage ??= usage;
      return this.#choice(0).begin();
    },
    usage: ({ usage }) => {
      this.#usage = usage;
      return "";
    },
    "part-start": ({ choice, part, opened }) => this.#begun(choice, (writer) => writer.start(part, opened)),
    citation: ({ choice, part, citation }) => {
      this.#choice(choice).cite(part, citation);
      return "";
    },
    "part-end": ({ choice, part, seal }) => this.#begun(choice, (writer) => writer.end(part, seal)),
    "part-whole": ({ choice, part, whole }) => this.#begun(choice, (writer) => writer.whole(part, whole)),
    finish: ({ choice, reason }) => this.#begun(choice, (writer) => writer.finish(reason)),
    ping: () => this.heartbeat(),
  };

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#chunks = new Chunks(context);
    this.#style = answerStyleOf(context);
  }

  /** A vendor's `failure` writes nothing: the caller reports it by `fail`. */
  write(event: TextEvent): string {
    // What comes for every few words does not go through the table.
    if (event.type === "part-delta")
      return this.#choice(event.choice).delta(event.part, event.text, event.logProbabilities ?? []);
    return dispatch(this.#on, event) ?? "";
  }

  end(): string {
    const ends = [this.#choice(0), ...this.#choices.values()].map((choice) => choice.begin() + choice.finish("other"));
    const wanted = this.#context.request.includeUsage === true ? this.#usage : undefined;
    const usage = wanted === undefined ? "" : this.#chunks.usage(renderUsage(wanted));
    return `${ends.join("")}${usage}data: [DONE]\n\n`;
  }

  fail(failure: Failure, requestId: string): string {
    return failureFrames.chat(failure, requestId);
  }

  heartbeat(): string {
    return ": keep-alive\n\n";
  }

  #begun(choice: number, write: (choice: PartWriter) => string): string {
    const writer = this.#choice(choice);
    return writer.begin() + write(writer);
  }

  #choice(index: number): PartWriter {
    const known = this.#choices.get(index) ?? new PartWriter(index, this.#chunks, this.#context, this.#style);
    this.#choices.set(index, known);
    return known;
  }
}
