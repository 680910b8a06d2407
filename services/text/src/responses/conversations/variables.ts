import type { VariableReader } from "@modelgate/platform";

/** The bounds of conversations that are kept. */
export function conversationVariables(read: VariableReader) {
  return {
    lifetimeMs: read.integer(
      "CONVERSATION_LIFETIME_MS",
      30 * 24 * 3_600_000,
      "How long a conversation is kept after its last change.",
      { min: 1_000 },
    ),
    mostItems: read.integer("CONVERSATION_ITEMS", 2_000, "Most items of a conversation.", { min: 10 }),
    mostBytes: read.integer(
      "CONVERSATION_BYTES",
      4 * 1024 * 1024,
      "Most bytes that a conversation's items come to, compressed.",
      { min: 1_024 },
    ),
  };
}
