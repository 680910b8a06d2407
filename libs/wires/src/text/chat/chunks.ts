import type { AnswerContext } from "../hub/codec.ts";
import type { JsonObject } from "../hub/request.ts";

/** The text of a chunk around what changes: written once, so that a delta costs no more than its own text. */
export interface Around {
  readonly before: string;
  readonly after: string;
}

/** Chunks of one answer: the same id, time and model in each. */
export class Chunks {
  readonly #head: string;
  readonly #tail: string;

  constructor({ answerId, now, model, request }: AnswerContext) {
    const head = JSON.stringify({ id: answerId, object: "chat.completion.chunk", created: now, model });
    this.#head = `data: ${head.slice(0, -1)},"choices":[`;
    // A client that asked for the usage finds it in every chunk, as null but in the last; no other knows the member.
    this.#tail = request.includeUsage === true ? `],"usage":null}\n\n` : "]}\n\n";
  }

  /** The text around the members of a choice's delta, without its braces. */
  around(choice: number): Around {
    return {
      before: `${this.#head}{"index":${choice},"delta":{`,
      after: `},"logprobs":null,"finish_reason":null}${this.#tail}`,
    };
  }

  /** A delta with the probabilities of its tokens. */
  withProbabilities(choice: number, delta: JsonObject, content: readonly JsonObject[]): string {
    return this.#chunk({ index: choice, delta, logprobs: { content, refusal: null }, finish_reason: null });
  }

  finish(choice: number, word: string): string {
    return this.#chunk({ index: choice, delta: {}, logprobs: null, finish_reason: word });
  }

  usage(usage: JsonObject): string {
    return `${this.#head}],"usage":${JSON.stringify(usage)}}\n\n`;
  }

  #chunk(choice: JsonObject): string {
    return this.#head + JSON.stringify(choice) + this.#tail;
  }
}
