import type { Failure } from "@modelgate/contracts";
import { failureHeaders } from "@modelgate/contracts";
import { isRecord, parseRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Renders the error event of a request that was refused, or that failed before its response began. */
export function errorEvent(failure: Failure, streamId: string | undefined): string {
  const { status, code, vendorCode, message, param = null, kind } = failure;
  const error = { type: kind.type, code: vendorCode ?? code, message, param };
  return JSON.stringify({
    type: "error",
    ...streamIdMember(streamId),
    status,
    error,
    headers: failureHeaders(failure),
  });
}

/** Beginning of each error event in a stream. */
const errorStart = '{"type":"error"';

/** Renders an event of a stream as a message with its `stream_id`. */
export function messageOf(data: string, streamId: string | undefined): string {
  const error = data.startsWith(errorStart) ? parseRecord(data) : undefined;
  if (error !== undefined) return JSON.stringify({ ...streamIdMember(streamId), ...error, ...nestedError(error) });
  return streamId === undefined || data.at(0) !== "{"
    ? data
    : `{"stream_id":${JSON.stringify(streamId)},${data.slice(1)}`;
}

const createdType = "response.created";

/** Returns the id of the response in a `response.created` event; undefined for another event. */
export function createdId(data: string): string | undefined {
  const event = data.includes(createdType) ? parseRecord(data) : undefined;
  const response = event?.["type"] === createdType ? event["response"] : undefined;
  return isRecord(response) && typeof response["id"] === "string" ? response["id"] : undefined;
}

function nestedError(event: JsonObject): JsonObject {
  if (isRecord(event["error"])) return {};
  const { code, message, param = null } = event;
  return { status: brokenStatus, error: { type: "server_error", code, message, param } };
}

/** Status in the error event of a response that failed after it had begun. */
const brokenStatus = 500;

function streamIdMember(streamId: string | undefined): JsonObject {
  return streamId === undefined ? {} : { stream_id: streamId };
}
