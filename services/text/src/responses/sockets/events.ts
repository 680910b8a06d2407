import type { Failure } from "@modelgate/contracts";
import { failureHeaders } from "@modelgate/contracts";
import { isRecord, parseRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Renders the error event for a request that was refused, or that failed before its response started. */
export function errorEvent(failure: Failure, lane: string | undefined): string {
  const { status, code, vendorCode, message, param = null, kind } = failure;
  const error = { type: kind.type, code: vendorCode ?? code, message, param };
  return JSON.stringify({ type: "error", ...laneMember(lane), status, error, headers: failureHeaders(failure) });
}

/** Prefix of every error event in a stream. */
const errorStart = '{"type":"error"';

/** Renders a stream event as a message: nests error fields in an `error` object, and adds the lane. */
export function messageOf(data: string, lane: string | undefined): string {
  const error = data.startsWith(errorStart) ? parseRecord(data) : undefined;
  if (error !== undefined) return JSON.stringify({ ...laneMember(lane), ...error, ...nested(error) });
  return lane === undefined || data.at(0) !== "{" ? data : `{"stream_id":${JSON.stringify(lane)},${data.slice(1)}`;
}

function nested(event: JsonObject): JsonObject {
  if (isRecord(event["error"])) return {};
  const { code, message, param = null } = event;
  return { status: brokenStatus, error: { type: "server_error", code, message, param } };
}

/** Status of a response that failed after it had started. */
const brokenStatus = 500;

function laneMember(lane: string | undefined): JsonObject {
  return lane === undefined ? {} : { stream_id: lane };
}
