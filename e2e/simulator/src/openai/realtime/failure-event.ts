import { named } from "./response.ts";

/** An `error` event. */
export function failureEvent(
  message: string,
  { code, path, eventId }: { code?: string; path?: string | null; eventId?: string | undefined } = {},
): object {
  const type = code === undefined ? "server_error" : "invalid_request_error";
  return {
    ...named("error"),
    error: { type, code: code ?? null, message, param: path ?? null, event_id: eventId ?? null },
  };
}
