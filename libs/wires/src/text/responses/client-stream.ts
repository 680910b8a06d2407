import { keepAlive } from "@modelgate/formats/sse";
import { dispatch, StreamSummary, type EventHandlers } from "../hub/events.ts";
import type { Failure } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { TextEvent } from "../hub/answer.ts";
import type { AnswerContext, StreamWriter } from "../hub/wire.ts";
import { finishOf, responseObject, type ResponseState } from "./client-answer.ts";
import { PartWriter } from "./part-writer.ts";
import { endingOf } from "./vendor-answer.ts";

const running = { status: "in_progress", incomplete_details: null, error: null, completedAt: null } as const;

/** Writes a stream of response events. The last one repeats all output. */
export class ResponsesWriter implements StreamWriter {
  readonly #context: AnswerContext;
  readonly #parts: PartWriter;
  #sequence = 0;
  #started = false;
  readonly #summary = new StreamSummary();
  readonly heartbeat = (): string => keepAlive;
  readonly #on: EventHandlers<string> = {
    start: () => this.#start(),
    ping: () => keepAlive,
  };

  constructor(context: AnswerContext) {
    this.#context = context;
    this.#parts = new PartWriter(context, (type, members) => this.#emit(type, members));
  }

  write(event: TextEvent): string {
    this.#summary.add(event);
    const frames = dispatch(this.#on, event) ?? "";
    return frames + ("part" in event ? this.#start() : "") + this.#parts.write(event);
  }

  end(): string {
    const ending = endingOf(finishOf(this.#summary.finish, this.#context), this.#parts.isRefusedAsText);
    const frames = this.#start() + this.#parts.close(ending.status === "completed");
    return frames + this.#respond(`response.${ending.status}`, { ...running, ...ending }, this.#parts.output);
  }

  fail(failure: Failure): string {
    const code = failure.status === 429 ? "rate_limit_exceeded" : "server_error";
    const state = { ...running, status: "failed", error: { code, message: failure.message } } as const;
    return this.#start() + this.#respond("response.failed", state, this.#parts.outputSoFar());
  }

  #start(): string {
    if (this.#started) return "";
    this.#started = true;
    return this.#respond("response.created", running, []) + this.#respond("response.in_progress", running, []);
  }

  #respond(
    type: string,
    state: Pick<ResponseState, "status" | "incomplete_details" | "error" | "completedAt">,
    output: readonly JsonRecord[],
  ): string {
    const usage = state.status === "in_progress" ? undefined : this.#summary.usage;
    return this.#emit(type, { response: responseObject(this.#context, { ...state, output, usage }) });
  }

  #emit(type: string, members: JsonRecord): string {
    const event = { type, sequence_number: this.#sequence++, ...members };
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}
