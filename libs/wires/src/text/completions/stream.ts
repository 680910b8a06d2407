import { keepAlive } from "@modelgate/formats/sse";
import { dispatch, answerToEvents, StreamSummary, type EventHandlers } from "../hub/events.ts";
import { addUnits, failureFrames, type Units } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { renderUsage } from "../chat/usage.ts";
import { completionFinishReasons, type FinishReason, type OpenedPart, type TextEvent } from "../hub/answer.ts";
import type { AnsweredRequest, AnswerContext, StreamWriter } from "../hub/wire.ts";
import type { TokenProbability } from "../hub/part.ts";
import type { TextRequest } from "../hub/request.ts";
import { echoedPrompt, renderProbabilities } from "./answer.ts";

interface OpenChoice {
  /** Index of the choice among the choices of all prompts. */
  readonly index: number;
  readonly kinds: Map<number, OpenedPart["kind"]>;
  length: number;
  finished: boolean;
}

/** Writes the stream for one prompt. */
export class CompletionsWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #choices = new Map<number, OpenChoice>();
  readonly #request: TextRequest;
  readonly #firstIndex: number;
  readonly #summary = new StreamSummary();
  readonly fail = failureFrames.chat;
  readonly heartbeat = (): string => keepAlive;
  readonly #on: EventHandlers<string> = {
    start: () => this.#begin(0),
    "part-start": ({ choice, part, opened }) => {
      const started = this.#begin(choice);
      this.#choice(choice).kinds.set(part, opened.kind);
      return started;
    },
    "part-delta": ({ choice, part, text, logProbabilities }) => this.#delta(choice, part, text, logProbabilities ?? []),
    finish: ({ choice, reason }) => this.#begin(choice) + this.#finish(this.#choice(choice), reason),
    ping: () => keepAlive,
  };

  constructor(context: AnswerContext, request: TextRequest = context.request, first = 0) {
    this.#context = context;
    this.#request = request;
    this.#firstIndex = first;
  }

  write(event: TextEvent): string {
    this.#summary.add(event);
    return dispatch(this.#on, event) ?? "";
  }

  end(): string {
    return this.finish() + this.renderEnd(this.#summary.usage ?? {});
  }

  renderEnd(usage: Units): string {
    const includesUsage = this.#context.request.includeUsage === true && Object.keys(usage).length > 0;
    return `${includesUsage ? this.#frame([], renderUsage(usage)) : ""}data: [DONE]\n\n`;
  }

  finish(): string {
    const started = this.#begin(0);
    return started + [...this.#choices.values()].map((open) => this.#finish(open, "other")).join("");
  }

  #delta(choice: number, part: number, text: string, probabilities: readonly TokenProbability[]): string {
    const open = this.#choice(choice);
    const kind = open.kinds.get(part);
    return kind === "text" || kind === "refusal" ? this.#renderText(open, text, probabilities) : "";
  }

  #begin(choice: number): string {
    if (this.#choices.has(choice)) return "";
    const echo = echoedPrompt(this.#context, this.#request);
    const open = this.#choice(choice);
    return echo === "" ? "" : this.#renderText(open, echo, []);
  }

  #renderText(open: OpenChoice, text: string, probabilities: readonly TokenProbability[]): string {
    const logprobs = renderProbabilities(probabilities, open.length);
    open.length += text.length;
    return this.#chunk({ text, index: open.index, logprobs, finish_reason: null });
  }

  #finish(open: OpenChoice, reason: FinishReason): string {
    if (open.finished) return "";
    open.finished = true;
    return this.#chunk({ text: "", index: open.index, logprobs: null, finish_reason: completionFinishReasons[reason] });
  }

  #choice(choice: number): OpenChoice {
    const state = this.#choices.get(choice) ?? {
      index: this.#firstIndex + choice,
      kinds: new Map<number, OpenedPart["kind"]>(),
      length: 0,
      finished: false,
    };
    this.#choices.set(choice, state);
    return state;
  }

  /** Renders a chunk. Every chunk has the member `usage` if the client requests usage. */
  #chunk(choice: JsonRecord): string {
    return this.#frame([choice], this.#context.request.includeUsage === true ? null : undefined);
  }

  #frame(choices: readonly JsonRecord[], usage: JsonRecord | null | undefined): string {
    const { answerId: id, now: created, model } = this.#context;
    return `data: ${JSON.stringify({ id, object: "text_completion", created, model, choices, usage })}\n\n`;
  }
}

/** Renders the answers to all prompts as one stream. */
export function streamPromptAnswers(all: readonly AnsweredRequest[], context: AnswerContext): string {
  const rendered = all.map(({ request, answer }, prompt) => {
    const writer = new CompletionsWriter(context, request, prompt * (request.choices ?? 1));
    const frames = answerToEvents(answer).map((event) => writer.write(event));
    return frames.join("") + writer.finish();
  });
  const usage = all.reduce<Units>((sum, { answer }) => addUnits(sum, answer.usage ?? {}), {});
  return rendered.join("") + new CompletionsWriter(context).renderEnd(usage);
}
