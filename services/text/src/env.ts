import { serviceVariables, type EnvOf } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";
import { conversationVariables } from "./conversations/variables.ts";
import { backgroundVariables } from "./background/variables.ts";

/** Every variable that the text service reads, with its bounds. */
export const variables = serviceVariables("text", (read) => ({
  relay: relayVariables(read),
  images: imagesVariables(read),
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
    idleMs: read.integer("RESPONSE_SOCKET_IDLE_MS", 15 * 60_000, "Longest silence of such a WebSocket.", { min: 100 }),
    longestMs: read.integer("RESPONSE_SOCKET_LONGEST_MS", 60 * 60_000, "Longest life of such a WebSocket.", {
      min: 100,
    }),
  },
  conversations: conversationVariables(read),
  background: backgroundVariables(read),
  responses: {
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
}));

/** The values of those variables. */
export type Env = EnvOf<typeof variables>;
