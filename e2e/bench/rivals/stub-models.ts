/** Models of the stub: events at once, events at intervals, and one event followed by silence. */
export const models = { burst: "stub", spaced: "stub-spaced", open: "stub-open" } as const;
/** Number of events of a complete stream. */
export const eventsOfStream = 100;
/** Pause between two events of `spaced`. */
export const spacingMs = 10;
