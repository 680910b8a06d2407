import type { StreamFormat } from "../endpoints/endpoint.ts";
import { endpointIds, endpointOf } from "../endpoints/table.ts";
import type { Failure } from "./failure.ts";
import { renderFailure } from "./render.ts";

/** Renders the event or line that ends a broken stream. `sequence` is the number of the stream's last event. */
export type RenderFailureFrame = (failure: Failure, requestId: string, sequence?: number) => string;

const dataEvent = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
const errorEvent = (json: object): string => `event: error\n${dataEvent(json)}`;

/** Renderers of the error events, by stream format. Only `responses` numbers its events. */
export const failureFrames = {
  chat: (failure, requestId) => dataEvent(renderFailure("common", failure, requestId)),
  responses: ({ code, message }, _requestId, sequence = -1) =>
    errorEvent({ type: "error", code, message, param: null, sequence_number: sequence + 1 }),
  messages: (failure, requestId) => errorEvent(renderFailure("alpha", failure, requestId)),
  content: (failure, requestId) => `data: ${JSON.stringify(renderFailure("gamma", failure, requestId))}\r\n\r\n`,
  interactions: ({ code, message }) => errorEvent({ event_type: "error", error: { code, message } }),
  images: (failure, requestId) => errorEvent({ type: "error", ...renderFailure("common", failure, requestId) }),
  ollama: (failure, requestId) => `${JSON.stringify(renderFailure("ollama", failure, requestId))}\n`,
  audio: (failure, requestId) => dataEvent({ type: "error", ...renderFailure("common", failure, requestId) }),
} as const satisfies Record<StreamFormat, RenderFailureFrame>;

/** Returns the renderer of a stream's error event; undefined if the endpoint is unknown or does not stream. */
export function failureFrameOf(id: string): RenderFailureFrame | undefined {
  const endpoint = endpointIds.find((each) => each === id);
  const format = endpoint === undefined ? undefined : endpointOf(endpoint).streamFormat;
  return format === undefined ? undefined : failureFrames[format];
}

/** Renders the `error` event of a realtime session. `causedBy` is the `event_id` of the client's event that failed. */
export function renderSessionFailure(failure: Failure, eventId: string, causedBy?: string): object {
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
