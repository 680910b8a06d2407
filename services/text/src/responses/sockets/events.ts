import type { Failure } from "@modelgate/contracts";
import { failureHeaders } from "@modelgate/contracts";
import { isRecord, parseRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Renders the error event for a request that was refused, or that failed before its response began. */
export function errorEvent(failure: Failure, lane: string | undefined): string {
  const { status, code, vendorCode, message, param = null, kind } = failure;
  const error = { type: kind.type, code: vendorCode ?? code, message, param };
  return JSON.stringify({ type: "error", ...laneMember(lane), status, error, headers: failureHeaders(failure) });
}

/** Prefix of every error within a stream. */
const errorStart = '{"type":"error"';

/** An event of a stream as a message: errors have an object of their own here, and a lane is named. */
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

/** The status of a response that broke after it had begun. */
const brokenStatus = 500;

function laneMember(lane: string | undefined): JsonObject {
  return lane === undefined ? {} : { stream_id: lane };
}
