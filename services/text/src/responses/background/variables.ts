import type { VariableReader } from "@modelgate/platform";

/** The bounds of responses that are made in the background. */
export function backgroundVariables(read: VariableReader) {
  return {
    most: read.integer("BACKGROUND_RESPONSES", 1_000, "Responses that the process makes in the background at once.", {
      min: 1,
    }),
    perToken: read.integer(
      "BACKGROUND_PER_TOKEN",
      50,
      "Responses of one key that are made in the background at once.",
      {
        min: 1,
      },
    ),
    longestMs: read.integer("BACKGROUND_LONGEST_MS", 60 * 60_000, "Longest time that such a response may take.", {
      min: 100,
    }),
    leaseMs: read.integer(
      "BACKGROUND_LEASE_MS",
      15_000,
      "How long after its process's last word such a response is taken for failed.",
      { min: 500 },
    ),
    mostEvents: read.integer("BACKGROUND_EVENTS", 20_000, "Most events of such a response that are kept.", { min: 10 }),
    mostCharacters: read.integer(
      "BACKGROUND_EVENT_CHARACTERS",
      4 * 1024 * 1024,
      "Most characters of such a response's events that are kept.",
      { min: 10_000 },
    ),
    eventsLifetimeMs: read.integer(
      "BACKGROUND_EVENTS_LIFETIME_MS",
      60 * 60_000,
      "How long the events of such a response can be read again.",
      { min: 1_000 },
    ),
  };
}
