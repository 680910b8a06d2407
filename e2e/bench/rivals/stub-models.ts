/** The models of the stub, by how it streams them: at once, an event each `spacingMs`, or one event and then silence. */
export const models = { burst: "stub", spaced: "stub-spaced", open: "stub-open" } as const;
/** Events of a stream that comes to its end. */
export const eventsOfStream = 100;
/** Between two events of a stream that is spaced. */
export const spacingMs = 10;
