import type { Failure } from "@modelgate/contracts";
import { isRecord } from "@modelgate/formats/json";
import { InteractionCollector, type JsonObject } from "@modelgate/wires/text";
import { hasEnded } from "./events.ts";

/**
 * Follows the events of an object that is being generated: a response or an interaction. `object` is its latest state.
 */
export interface FollowedObject {
  readonly object: JsonObject | undefined;
  /**
   * Reads an event. Returns the event to store; undefined for the first and the final event, which are stored
   * separately.
   */
  read(event: JsonObject): JsonObject | undefined;
  /** Returns the bytes of memory that an event needs until the object has ended. */
  memoryBytes(eventBytes: number): number;
}

/** Format of the stored objects of a wire, and of the events that report them. */
export interface EventFormat {
  /** Name of the wire, of the endpoint, and of the store in `ResponsesDeps`. */
  readonly wire: "responses" | "interactions";
  /** Field of the object that contains the output. */
  readonly output: "output" | "steps";
  /** Returns the events that are stored before a vendor is chosen. */
  queuedEvents(object: JsonObject): readonly JsonObject[];
  /** Renders an event as JSON, with its sequence number. */
  renderNumbered(event: JsonObject, index: number): string;
  /** Returns the event that ends the stream of an object. */
  finalEvent(object: JsonObject): JsonObject;
  /** Returns the object with the status `failed` and the failure. */
  failedObject(object: JsonObject, failure: Pick<Failure, "message" | "status">): JsonObject;
  /** Starts to follow a stream. The fields of `patch` are set in the object that the vendor reports. */
  follow(patch: JsonObject): FollowedObject;
}

/**
 * Event types of final statuses. A cancelled response ends with `response.failed` and its status `cancelled`, because
 * SDKs refuse other types of events.
 */
const finalEvents: Readonly<Record<string, string>> = {
  completed: "response.completed",
  incomplete: "response.incomplete",
};

export const responsesEventFormat: EventFormat = {
  wire: "responses",
  output: "output",
  queuedEvents: (response) => ["response.created", "response.queued"].map((type) => ({ type, response })),
  renderNumbered: ({ type, sequence_number: _vendorNumber, ...members }, index) =>
    JSON.stringify({ type, sequence_number: index, ...members }),
  finalEvent: (response) => ({ type: finalEvents[String(response["status"])] ?? "response.failed", response }),
  failedObject(response, { message, status }) {
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

  /** Returns 0: each event with the response contains all of it, so no event must stay in memory. */
  memoryBytes(): number {
    return 0;
  }

  read(event: JsonObject): JsonObject | undefined {
    const { type, response } = event;
    if (type === "error") {
      const { code = null, message } = isRecord(event["error"]) ? event["error"] : event;
      this.object = { ...this.object, status: "failed", error: { code, message } };
      return undefined;
    }
    if (!isRecord(response)) return event;
    this.object = { ...response, ...this.#patch };
    // The first and the final event are stored separately.
    return type === "response.created" || hasEnded(this.object) ? undefined : { ...event, response: this.object };
  }
}

export const interactionsEventFormat: EventFormat = {
  wire: "interactions",
  output: "steps",
  queuedEvents: (interaction) => [{ event_type: "interaction.created", interaction }],
  renderNumbered: ({ event_type: type, event_id: _vendorNumber, ...members }, index) =>
    JSON.stringify({ event_type: type, event_id: String(index), ...members }),
  finalEvent: ({ steps: _steps, ...interaction }) => ({ event_type: "interaction.completed", interaction }),
  failedObject(interaction, { message, status }) {
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
    if (interaction === undefined && this.#error === undefined) return undefined;
    return { ...interaction, ...this.#patch, steps, ...failed };
  }

  memoryBytes(eventBytes: number): number {
    return eventBytes;
  }

  read(event: JsonObject): JsonObject | undefined {
    this.#collector.add(event);
    if (event["event_type"] === "error") this.#error = event["error"] ?? {};
    // The first and the final event are stored separately.
    const isStoredSeparately = isRecord(event["interaction"]) || this.#error !== undefined;
    return isStoredSeparately ? undefined : event;
  }
}
