import type { Failure } from "@modelgate/contracts";
import { isRecord } from "@modelgate/wires/json";
import { InteractionCollector, type JsonObject } from "@modelgate/wires/text";
import { isOver } from "./events.ts";

/** The newest state of an object that is being made, by the events of its stream. */
export interface FollowedObject {
  readonly object: JsonObject | undefined;
  /** Takes an event; returns it as it is stored, or undefined for one that is stored elsewhere. */
  take(event: JsonObject): JsonObject | undefined;
}

/** Form of a wire's stored objects, and of the events by which they are made. */
export interface EventForm {
  /** Wire, endpoint, and name of the store. */
  readonly wire: "responses" | "interactions";
  /** Member with the output. */
  readonly output: "output" | "steps";
  /** Returns the events that are stored before a vendor is chosen. */
  queued(object: JsonObject): readonly JsonObject[];
  /** Renders an event with its number. */
  numbered(event: JsonObject, at: number): string;
  /** Returns the event that ends the stream of an ended object. */
  final(object: JsonObject): JsonObject;
  /** Returns an object that failed, with the reason. */
  failed(object: JsonObject, failure: Pick<Failure, "message" | "status">): JsonObject;
  /** Follows a stream's events. Members of `patch` replace those of the object that it reports. */
  follow(patch: JsonObject): FollowedObject;
}

/** Final states of a response, with their events. */
const finalEvents: Readonly<Record<string, string>> = {
  completed: "response.completed",
  incomplete: "response.incomplete",
  failed: "response.failed",
  cancelled: "response.cancelled",
};

/** Responses. */
export const responseForm: EventForm = {
  wire: "responses",
  output: "output",
  queued: (response) => ["response.created", "response.queued"].map((type) => ({ type, response })),
  numbered: ({ type, sequence_number: _theirs, ...members }, at) =>
    JSON.stringify({ type, sequence_number: at, ...members }),
  final: (response) => ({ type: finalEvents[String(response["status"])] ?? "response.failed", response }),
  failed(response, { message, status }) {
    const code = status === 429 ? "rate_limit_exceeded" : "server_error";
    return { ...response, status: "failed", error: { code, message } };
  },
  follow: (patch) => new FollowedResponse(patch),
};

class FollowedResponse implements FollowedObject {
  object: JsonObject | undefined;
  readonly #patch: JsonObject;

  constructor(patch: JsonObject) {
    this.#patch = patch;
  }

  take(event: JsonObject): JsonObject | undefined {
    const { type, response } = event;
    if (type === "error") {
      const { code = null, message } = isRecord(event["error"]) ? event["error"] : event;
      this.object = { ...this.object, status: "failed", error: { code, message } };
      return undefined;
    }
    if (!isRecord(response)) return event;
    this.object = { ...response, ...this.#patch };
    // The created event was stored before a vendor was chosen, and the final one is stored after the response.
    return type === "response.created" || isOver(this.object) ? undefined : { ...event, response: this.object };
  }
}

/** Interactions. */
export const interactionForm: EventForm = {
  wire: "interactions",
  output: "steps",
  queued: (interaction) => [{ event_type: "interaction.created", interaction }],
  numbered: ({ event_type: type, event_id: _theirs, ...members }, at) =>
    JSON.stringify({ event_type: type, event_id: String(at), ...members }),
  final: ({ steps: _steps, ...interaction }) => ({ event_type: "interaction.completed", interaction }),
  failed(interaction, { message, status }) {
    const code = status === 429 ? "resource_exhausted" : "internal";
    return { ...interaction, status: "failed", errors: [{ code, message }] };
  },
  follow: (patch) => new FollowedInteraction(patch),
};

class FollowedInteraction implements FollowedObject {
  readonly #collector = new InteractionCollector();
  readonly #patch: JsonObject;
  #error: unknown;

  constructor(patch: JsonObject) {
    this.#patch = patch;
  }

  get object(): JsonObject | undefined {
    const { interaction, steps } = this.#collector;
    const failed = this.#error === undefined ? {} : { status: "failed", errors: [this.#error] };
    return interaction && { ...interaction, ...this.#patch, steps, ...failed };
  }

  take(event: JsonObject): JsonObject | undefined {
    this.#collector.take(event);
    if (event["event_type"] === "error") this.#error = event["error"] ?? {};
    // These events are stored before a vendor is chosen, or after the interaction.
    const isElsewhere = isRecord(event["interaction"]) || this.#error !== undefined;
    return isElsewhere ? undefined : event;
  }
}
