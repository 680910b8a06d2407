import { failureFrames } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { keepAlive } from "@modelgate/formats/sse";
import type { OpenedPart, TextEvent } from "../hub/answer.ts";
import { dispatch, PartSequencer, StreamSummary, type EventHandlers } from "../hub/events.ts";
import type { Part, Signature } from "../hub/part.ts";
import type { AnswerContext, StreamWriter } from "../hub/wire.ts";
import { interactionOf } from "./client-answer.ts";
import { renderSignature } from "../hub/signatures.ts";
import { annotationOf, answerSteps, signatureSteps } from "./parts.ts";
import { endingOf } from "./vendor-answer.ts";

/** Writes a stream of steps. */
export class InteractionsWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #order = new PartSequencer();
  #opened: OpenedPart | undefined;
  /** Index of the open step, or of the next step if none is open. */
  #index = 0;
  #events = 0;
  #isStarted = false;
  readonly #summary = new StreamSummary();
  readonly fail = failureFrames.interactions;
  readonly heartbeat = (): string => keepAlive;
  readonly #on: EventHandlers<string> = {
    start: () => this.#start(),
    "part-start": ({ opened }) => this.#open(opened),
    "part-delta": ({ text }) => (text === "" ? "" : this.#delta(this.#deltaOf(text))),
    citation: ({ citation }) => this.#delta({ type: "text_annotation_delta", annotations: [annotationOf(citation)] }),
    "part-end": ({ signature }) => this.#close(signature),
    "part-whole": ({ whole }) =>
      answerSteps(whole)
        .map((step) => this.#wholeStep(step, whole))
        .join(""),
    ping: () => keepAlive,
  };

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  write(event: TextEvent): string {
    this.#summary.add(event);
    let text = "part" in event ? this.#start() : "";
    for (const each of this.#order.add(event)) text += dispatch(this.#on, each) ?? "";
    return text;
  }

  end(): string {
    const { status, steps } = endingOf(this.#summary.finish);
    const rest = steps.map((step) => this.#step(step) + this.#stop()).join("");
    const interaction = interactionOf(this.#context, { status, usage: this.#summary.usage });
    return this.#start() + rest + this.#emit("interaction.completed", { interaction });
  }

  #start(): string {
    if (this.#isStarted) return "";
    this.#isStarted = true;
    return this.#emit("interaction.created", { interaction: interactionOf(this.#context, { status: "in_progress" }) });
  }

  #open(opened: OpenedPart): string {
    this.#opened = opened;
    if (opened.kind === "reasoning") return this.#step({ type: "thought" });
    if (opened.kind !== "tool-call") return this.#step({ type: "model_output" });
    return this.#step({ type: "function_call", id: opened.id, name: opened.name, arguments: {} });
  }

  #deltaOf(text: string): JsonRecord {
    if (this.#opened?.kind === "tool-call") return { type: "arguments_delta", arguments: text };
    if (this.#opened?.kind === "reasoning") return { type: "thought_summary", content: { type: "text", text } };
    return { type: "text", text };
  }

  /** Ends a part. The signature of a part other than reasoning becomes a separate step. */
  #close(signature: Signature | undefined): string {
    const opened = this.#opened;
    if (opened?.kind === "reasoning")
      return (
        this.#delta({ type: "thought_signature", signature: renderSignature(signature, "interactions") }) + this.#stop()
      );
    const reasoning = signatureSteps(signature, opened?.kind === "tool-call" ? opened.id : undefined);
    return this.#stop() + reasoning.map((step) => this.#step(step) + this.#stop()).join("");
  }

  /** Writes a complete step. Clients assemble an image, audio or video from deltas. */
  #wholeStep(step: JsonRecord, { kind }: Part): string {
    const isMedia = kind === "image" || kind === "audio" || kind === "video";
    const content: unknown = isMedia && Array.isArray(step["content"]) ? step["content"].at(0) : undefined;
    if (content === undefined) return this.#step(step) + this.#stop();
    return this.#step({ type: "model_output" }) + this.#delta(content) + this.#stop();
  }

  #step(step: JsonRecord): string {
    return this.#emit("step.start", { index: this.#index, step });
  }

  #delta(delta: unknown): string {
    return this.#emit("step.delta", { index: this.#index, delta });
  }

  #stop(): string {
    return this.#emit("step.stop", { index: this.#index++ });
  }

  #emit(type: string, members: JsonRecord): string {
    const event = { event_type: type, event_id: String(this.#events++), ...members };
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}
