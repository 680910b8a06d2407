import type { VariableReader } from "@modelgate/platform";

/** The bounds of stored responses, conversations, threads, background runs and response sockets. */
export function responsesVariables(read: VariableReader) {
  return {
    threads: {
      lifetimeMs: read.integer("THREAD_LIFETIME_MS", 5 * 60_000, "How long a thread of messages can be continued.", {
        min: 1_000,
      }),
      /** Largest thread that is kept, compressed. */
      maxBytes: 4 * 1024 * 1024,
    },
    sockets: {
      /** WebSockets for responses that the process holds at once. */
      sockets: 10_000,
      /** Longest silence of such a WebSocket. */
      idleMs: 15 * 60_000,
      /** Longest life of such a WebSocket. */
      longestMs: 60 * 60_000,
    },
    conversations: {
      lifetimeMs: read.integer(
        "CONVERSATION_LIFETIME_MS",
        30 * 24 * 3_600_000,
        "How long a conversation is kept after its last change.",
        { min: 1_000 },
      ),
      /** Maximum items of a conversation. */
      maxItems: 2_000,
      /** Maximum bytes of a conversation's items, compressed. */
      maxBytes: 4 * 1024 * 1024,
    },
    background: {
      /** Responses that the process makes in the background at once. */
      most: 1_000,
      /** Responses of one key that are made in the background at once. */
      perToken: 50,
      /** Longest time that such a response may take. */
      longestMs: 60 * 60_000,
      /** Time after its process's last sign of life after which such a response counts as failed. */
      leaseMs: 15_000,
      /** Maximum events of such a response that are kept. */
      maxEvents: 20_000,
      /** Maximum characters of such a response's events that are kept. */
      maxCharacters: 4 * 1024 * 1024,
      /** Time for which the events of such a response can be read again. */
      eventsLifetimeMs: 60 * 60_000,
    },
    stored: {
      lifetimeMs: read.integer(
        "RESPONSE_LIFETIME_MS",
        7 * 24 * 3_600_000,
        "How long a stored response can be referred to.",
        { min: 1_000 },
      ),
      /** Largest response that is stored, with its input, compressed. */
      maxBytes: 4 * 1024 * 1024,
    },
  };
}

/** Their values. */
export type ResponsesEnv = Readonly<ReturnType<typeof responsesVariables>>;
