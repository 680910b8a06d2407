import type { StreamFormat } from "../endpoints/endpoint.ts";
import { endpointIds, endpointOf } from "../endpoints/table.ts";
import type { Failure } from "./failure.ts";
import { renderFailure } from "./render.ts";

/** Renders the event, or the line, that ends a broken stream. */
export type FailureFrame = (failure: Failure, requestId: string, sequence?: number) => string;

const data = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
const event = (json: object): string => `event: error\n${data(json)}`;

/** Error event of each format. `sequence` is the number of the stream's last event, in formats that number them. */
export const failureFrames = {
  chat: (failure, requestId) => data(renderFailure("common", failure, requestId)),
  responses: ({ code, message }, _requestId, sequence = -1) =>
    event({ type: "error", code, message, param: null, sequence_number: sequence + 1 }),
  messages: (failure, requestId) => event(renderFailure("alpha", failure, requestId)),
  content: (failure, requestId) => `data: ${JSON.stringify(renderFailure("gamma", failure, requestId))}\r\n\r\n`,
  images: (failure, requestId) => event({ type: "error", ...renderFailure("common", failure, requestId) }),
  ollama: (failure, requestId) => `${JSON.stringify(renderFailure("ollama", failure, requestId))}\n`,
  audio: (failure, requestId) => data({ type: "error", ...renderFailure("common", failure, requestId) }),
} as const satisfies Record<StreamFormat, FailureFrame>;

/** Returns the error event of an endpoint's stream; undefined for an endpoint that does not stream. */
export function failureFrameOf(id: string): FailureFrame | undefined {
  const known = endpointIds.find((each) => each === id);
  const format = known === undefined ? undefined : endpointOf(known).streams;
  return format === undefined ? undefined : failureFrames[format];
}

/**
 * Renders the `error` event of a realtime session; `causedBy` is the `event_id` of the client's event, if it had one.
 */
export function sessionFailure(failure: Failure, eventId: string, causedBy?: string): object {
  return {
    type: "error",
    event_id: eventId,
    error: {
      type: failure.kind.type,
      code: failure.vendorCode ?? failure.code,
      message: failure.message,
      param: failure.param ?? null,
      event_id: causedBy ?? null,
    },
  };
}
