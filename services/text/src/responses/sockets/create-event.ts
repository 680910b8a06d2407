import { Failure } from "@modelgate/contracts";
import { parseBody, renderJson, type JsonLimits } from "@modelgate/relay";
import { isRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** A client's `response.create` event: a body of POST /v1/responses and fields that exist only on a connection. */
export interface CreateEvent {
  /** The body, which requests a stream. */
  readonly value: JsonObject;
  readonly bytes: Buffer;
  /** False where nothing is generated and the request is only kept for the next one. */
  readonly generate: boolean;
}

/** Maximum characters of a lane's name. */
const maxLaneCharacters = 200;

/** Parses a client's message within the limits of a body. Throws Failure (400) for an invalid event. */
export async function parseMessage(message: Buffer, bounds: JsonLimits): Promise<JsonObject> {
  const value = await parseBody(message, bounds);
  if (!isRecord(value)) throw new Failure("invalid_value", "An event must be a JSON object.");
  return value;
}

/** Returns the lane that an event names; the events of its answer name it too. */
export function laneOf({ stream_id: lane }: JsonObject): string | undefined {
  return typeof lane === "string" && lane.length <= maxLaneCharacters ? lane : undefined;
}

/** Reads an event. Throws Failure (400) for any event other than response.create. */
export async function readCreateEvent(event: JsonObject, messageBytes: number): Promise<CreateEvent> {
  const { type, stream_id: lane, generate, background, ...body } = event;
  if (type !== "response.create")
    throw new Failure("invalid_value", "The type of an event must be response.create.", { param: "type" });
  if (lane !== undefined && laneOf(event) === undefined)
    throw new Failure("invalid_value", `stream_id must be a text of at most ${maxLaneCharacters} characters.`, {
      param: "stream_id",
    });
  if (generate !== undefined && typeof generate !== "boolean")
    throw new Failure("invalid_value", "generate must be true or false.", { param: "generate" });
  if (background === true)
    throw new Failure("unsupported_parameter", "background cannot be true over a WebSocket.", { param: "background" });
  const value = { ...body, stream: true };
  return { value, bytes: await renderJson(value, messageBytes), generate: generate ?? true };
}
