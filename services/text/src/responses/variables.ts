import type { VariableReader } from "@modelgate/platform";
import { backgroundVariables } from "./background/variables.ts";
import { conversationVariables } from "./conversations/variables.ts";

/** The bounds of stored responses, conversations, threads, background runs and response sockets. */
export function responsesVariables(read: VariableReader) {
  return {
    threads: {
      lifetimeMs: read.integer("THREAD_LIFETIME_MS", 5 * 60_000, "How long a thread of messages can be continued.", {
        min: 1_000,
      }),
      mostBytes: read.integer("THREAD_BYTES", 4 * 1024 * 1024, "Largest thread that is kept, compressed.", {
        min: 1_024,
      }),
    },
    sockets: {
      sockets: read.integer("RESPONSE_SOCKETS", 10_000, "WebSockets for responses that the process holds at once.", {
        min: 1,
      }),
      idleMs: read.integer("RESPONSE_SOCKET_IDLE_MS", 15 * 60_000, "Longest silence of such a WebSocket.", {
        min: 100,
      }),
      longestMs: read.integer("RESPONSE_SOCKET_LONGEST_MS", 60 * 60_000, "Longest life of such a WebSocket.", {
        min: 100,
      }),
    },
    conversations: conversationVariables(read),
    background: backgroundVariables(read),
    stored: {
      lifetimeMs: read.integer(
        "RESPONSE_LIFETIME_MS",
        7 * 24 * 3_600_000,
        "How long a stored response can be referred to.",
        { min: 1_000 },
      ),
      mostBytes: read.integer(
        "RESPONSE_BYTES",
        4 * 1024 * 1024,
        "Largest response that is stored, with its input, compressed.",
        { min: 1_024 },
      ),
    },
  };
}

/** Their values. */
export type ResponsesEnv = Readonly<ReturnType<typeof responsesVariables>>;
