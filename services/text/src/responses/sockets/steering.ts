import { withoutUndefined } from "@modelgate/contracts";
import type { Holding } from "@modelgate/platform";
import type { JsonObject } from "@modelgate/wires/text";
import { itemsOf } from "../conversation.ts";
import type { AnsweredResponse } from "../store-answered.ts";
import { outputOf } from "../stored-response.ts";
import { requiredInput, steerProblem } from "./steer-input.ts";

/** Maximum steering inputs that may wait for one response. */
const maxQueued = 16;
/** Maximum ended responses that are remembered, to tell them apart from unknown ones. */
const maxEnded = 256;
/** Maximum ended responses whose steering input waits for the client's next request. */
const maxPending = 16;
/** Maximum bytes of a `response.steer` event whose input is returned if it fails. */
const maxReturnedBytes = 64 * 1024;
/** Maximum characters of a response's id that an event repeats. */
const maxIdCharacters = 200;

/** Size of a `response.steer` event, and the memory that is held for it. */
interface SteerMessage {
  readonly bytes: number;
  readonly holding: Holding;
}

/** Steering input that was accepted, and is not yet part of a response. */
interface QueuedSteer extends SteerMessage {
  readonly id: string;
  readonly previousId: string;
  readonly input: unknown;
}

/** Steering input of an ended response, which waits for the client's next request. */
interface PendingSteers {
  readonly streamId: string | undefined;
  readonly queued: readonly QueuedSteer[];
}

/** A response that runs on the connection. */
interface SteeredResponse {
  /** Event of the client that began the response (`response.create`). */
  readonly create: JsonObject;
  readonly streamId: string | undefined;
  /** Steering input that is part of the response's request. */
  readonly included: readonly QueuedSteer[];
  id?: string;
  readonly queued: QueuedSteer[];
}

interface SteeringOptions {
  readonly send: (event: JsonObject) => void;
  readonly newId: () => string;
}

/**
 * Steering of the responses of one connection (`response.steer`). Input that arrives while a response runs is sent as
 * a new request after it, the successor. If the client must first send results of tools, the input waits for the
 * client's next request.
 */
export class Steering implements Disposable {
  readonly #send: SteeringOptions["send"];
  readonly #newId: () => string;
  readonly #pending = new Map<string, PendingSteers>();
  /** `stream_id` of each ended response, by the response's id. */
  readonly #ended = new Map<string, string | undefined>();
  #running: SteeredResponse | undefined;
  #count = 0;

  constructor({ send, newId }: SteeringOptions) {
    this.#send = send;
    this.#newId = newId;
  }

  /** Handles a `response.steer` event, and releases its memory later. Returns true if its input was accepted. */
  steer(event: JsonObject, { bytes, holding }: SteerMessage): boolean {
    const { previous_response_id: previousId, input } = event;
    const target = this.#running;
    const refuse = (code: string, message: string, streamId?: string): false => {
      holding[Symbol.dispose]();
      const isNamed = typeof previousId === "string" && previousId.length <= maxIdCharacters;
      const steer = { previous_response_id: isNamed ? previousId : "", ...returnedInput(input ?? "", bytes) };
      this.#fail({ code, message }, steer, streamId);
      return false;
    };
    const problem = steerProblem(event);
    if (problem !== undefined || typeof previousId !== "string")
      return refuse("invalid_input", problem ?? "previous_response_id must be a text.", target?.streamId);
    if (this.#ended.has(previousId))
      return refuse("response_already_completed", "The response has ended.", this.#ended.get(previousId));
    if (target?.id !== previousId)
      return refuse("response_not_found", "No response with this id runs on this connection.");
    const { create, streamId, queued } = target;
    if (
      (create["conversation"] ?? undefined) !== undefined ||
      (create["context_management"] ?? undefined) !== undefined
    )
      return refuse(
        "steering_not_supported",
        "A response with a conversation or compaction cannot be steered.",
        streamId,
      );
    if (queued.length >= maxQueued)
      return refuse("too_many_pending_steers", `At most ${maxQueued} inputs may wait for one response.`, streamId);
    const steer = { id: this.#newId(), previousId, input, bytes, holding };
    queued.push(steer);
    this.#emit({ type: "response.steer.accepted", steer: steerMembers(steer) }, streamId);
    return true;
  }

  /**
   * Starts a response. Returns the client's `response.create` event. Steering input that waited for it precedes the
   * event's own input.
   */
  begin(event: JsonObject, streamId: string | undefined): JsonObject {
    const previousId = event["previous_response_id"];
    const waiting = typeof previousId === "string" ? this.#pending.get(previousId) : undefined;
    if (typeof previousId !== "string" || waiting === undefined || waiting.streamId !== streamId)
      return this.#start(event, streamId);
    this.#pending.delete(previousId);
    const input = [...waiting.queued.flatMap((steer) => itemsOf(steer.input)), ...itemsOf(event["input"])];
    return this.#start({ ...event, input }, streamId, waiting.queued);
  }

  /** Records the id of the running response. It must be called before the client receives the id. */
  created(id: string): void {
    const running = this.#running;
    if (running === undefined) return;
    running.id = id;
    for (const { holding } of running.included) holding[Symbol.dispose]();
  }

  /**
   * Ends the running response. Returns the `response.create` event of its successor, if there is one. `refusal` is the
   * reason if there must be none.
   */
  end(answered: AnsweredResponse | undefined, refusal: string | undefined): JsonObject | undefined {
    const ended = this.#running;
    this.#running = undefined;
    if (ended === undefined) return undefined;
    const { create, streamId, included, queued, id } = ended;
    if (id === undefined) this.#failAll(included, refusal ?? "The response could not be created.", streamId);
    else this.#remember(id, streamId);
    if (queued.length === 0) return undefined;
    const status = answered?.stored.response["status"];
    const problem = refusal ?? (status === "completed" || status === "incomplete" ? undefined : "The response failed.");
    if (answered === undefined || problem !== undefined) {
      this.#failAll(queued, problem ?? "The response failed.", streamId);
      return undefined;
    }
    const required = requiredInput(outputOf(answered.stored));
    if (required.length > 0) {
      this.#wait(answered.id, { streamId, queued });
      const reason = { reason: "waiting_for_required_input", required_input: required };
      for (const steer of queued)
        this.#emit({ type: "response.steer.pending", ...reason, steer: steerMembers(steer) }, streamId);
      return undefined;
    }
    const input = queued.flatMap((steer) => itemsOf(steer.input));
    return this.#start({ ...create, generate: undefined, input, previous_response_id: answered.id }, streamId, queued);
  }

  [Symbol.dispose](): void {
    const unfinished = this.#running === undefined ? [] : [...this.#running.included, ...this.#running.queued];
    for (const { holding } of [...unfinished, ...[...this.#pending.values()].flatMap(({ queued }) => queued)])
      holding[Symbol.dispose]();
    this.#pending.clear();
  }

  #start(create: JsonObject, streamId: string | undefined, included: readonly QueuedSteer[] = []): JsonObject {
    this.#running = { create, streamId, included, queued: [] };
    return create;
  }

  /** Stores input until the client's next request. If too much waits, the oldest input fails. */
  #wait(id: string, steers: PendingSteers): void {
    this.#pending.set(id, steers);
    const [oldest] = this.#pending;
    if (this.#pending.size <= maxPending || oldest === undefined) return;
    const [oldestId, { queued, streamId }] = oldest;
    this.#pending.delete(oldestId);
    this.#failAll(queued, `The input of at most ${maxPending} responses may wait for a request.`, streamId);
  }

  #remember(id: string, streamId: string | undefined): void {
    this.#ended.set(id, streamId);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
  }

  #failAll(steers: readonly QueuedSteer[], message: string, streamId: string | undefined): void {
    for (const steer of steers) {
      steer.holding[Symbol.dispose]();
      this.#fail(
        { code: "successor_creation_failed", message },
        { ...steerMembers(steer), ...returnedInput(steer.input, steer.bytes) },
        streamId,
      );
    }
  }

  #fail(error: JsonObject, steer: JsonObject, streamId: string | undefined): void {
    this.#emit({ type: "response.steer.failed", error: { type: "invalid_request_error", ...error }, steer }, streamId);
  }

  #emit(event: JsonObject, streamId: string | undefined): void {
    this.#send(withoutUndefined({ ...event, sequence_number: this.#count++, stream_id: streamId }));
  }
}

function steerMembers({ id, previousId }: QueuedSteer): JsonObject {
  return { id, previous_response_id: previousId };
}

/** Returns the input that a failed event repeats; nothing for a large event. */
function returnedInput(input: unknown, bytes: number): JsonObject {
  return bytes <= maxReturnedBytes ? { input } : {};
}
