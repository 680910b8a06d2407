import { Failure } from "@modelgate/contracts";
import { parseBody, renderJson, type JsonLimits } from "@modelgate/relay";
import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** A client's `response.create` event: a body of POST /v1/responses, with fields that exist only on a WebSocket. */
export interface CreateEvent {
  /** The body, with `stream` set. */
  readonly value: JsonObject;
  readonly bytes: Buffer;
  /** False if no answer is generated. Later requests can refer to this one. */
  readonly generate: boolean;
}

/** Maximum characters of a `stream_id`. */
const maxStreamIdCharacters = 200;

/** Parses a client's message within the limits of a request body. Throws Failure (400) for an invalid message. */
export async function parseMessage(message: Buffer, bounds: JsonLimits): Promise<JsonObject> {
  const value = await parseBody(message, bounds);
  if (!isRecord(value)) throw new Failure("invalid_value", "An event must be a JSON object.");
  return value;
}

/** Returns the `stream_id` of an event, which the events of the answer repeat. */
export function streamIdOf({ stream_id: streamId }: JsonObject): string | undefined {
  return typeof streamId === "string" && streamId.length <= maxStreamIdCharacters ? streamId : undefined;
}

/** Reads an event. Throws Failure (400) if it is not a valid response.create event. */
export async function readCreateEvent(event: JsonObject, messageBytes: number): Promise<CreateEvent> {
  const { type, stream_id: streamId, generate, background, ...body } = event;
  if (type !== "response.create")
    throw new Failure("invalid_value", "The type of an event must be response.create or response.steer.", {
      param: "type",
    });
  if (streamId !== undefined && streamIdOf(event) === undefined)
    throw new Failure("invalid_value", `stream_id must be a string of at most ${maxStreamIdCharacters} characters.`, {
      param: "stream_id",
    });
  if (generate !== undefined && typeof generate !== "boolean")
    throw new Failure("invalid_value", "generate must be true or false.", { param: "generate" });
  if (background === true)
    throw new Failure("unsupported_parameter", "background cannot be true over a WebSocket.", { param: "background" });
  const value = { ...body, stream: true };
  return { value, bytes: await renderJson(value, messageBytes), generate: generate ?? true };
}
