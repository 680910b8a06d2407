/**
 * Models of the stub by kind of stream: all events immediately, one event per `spacingMs`, or one event and then
 * silence.
 */
export const models = { burst: "stub", spaced: "stub-spaced", open: "stub-open" } as const;
/** Number of events of a complete stream. */
export const eventsOfStream = 100;
/** Interval in ms between two events of a spaced stream. */
export const spacingMs = 10;
