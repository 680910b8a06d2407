import type { VariableReader } from "@modelgate/platform";

/** Reads the variables of stored responses, conversations, threads, background responses and WebSockets. */
export function responsesVariables(read: VariableReader) {
  return {
    threads: {
      lifetimeMs: read.integer(
        "THREAD_LIFETIME_MS",
        5 * 60_000,
        "Time after its latest message in which a thread can be continued.",
        {
          min: 1_000,
        },
      ),
      /** Maximum bytes of a stored thread, compressed. */
      maxBytes: 4 * 1024 * 1024,
    },
    sockets: {
      /** Maximum WebSockets for responses in one process. */
      maxSockets: 10_000,
      /** Maximum ms without a request on a WebSocket for responses. */
      maxIdleMs: 15 * 60_000,
      /** Maximum age of a WebSocket for responses, in ms. */
      maxAgeMs: 60 * 60_000,
    },
    conversations: {
      lifetimeMs: read.integer(
        "CONVERSATION_LIFETIME_MS",
        30 * 24 * 3_600_000,
        "Time for which a conversation is stored after its last change.",
        { min: 1_000 },
      ),
      maxItems: 2_000,
      /** Maximum bytes of a conversation's items after compression. */
      maxBytes: 4 * 1024 * 1024,
    },
    background: {
      /** Maximum background responses in one process. */
      maxResponses: 1_000,
      /** Maximum background responses of one API key. */
      maxPerToken: 50,
      /** Maximum duration of a background response, in ms. */
      maxDurationMs: 60 * 60_000,
      /** Time in ms without a lease renewal after which a background response has failed. */
      leaseMs: 15_000,
      /** Maximum ms for which a client waits until its response is cancelled. Its process may not react. */
      cancelWaitMs: 5_000,
      maxEvents: 20_000,
      maxCharacters: 4 * 1024 * 1024,
      /** Time in ms after the last event for which the events of a background response can be read. */
      eventsLifetimeMs: 60 * 60_000,
    },
    stored: {
      lifetimeMs: read.integer("RESPONSE_LIFETIME_MS", 7 * 24 * 3_600_000, "Time for which a response is stored.", {
        min: 1_000,
      }),
      /** Maximum bytes of a stored response with its input, compressed. */
      maxBytes: 4 * 1024 * 1024,
    },
  };
}

export type ResponsesEnv = Readonly<ReturnType<typeof responsesVariables>>;
