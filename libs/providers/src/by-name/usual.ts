/** How vendors speak that follow the chat wire as it was before its newest fields. */
export const older = { maxTokens: "max_tokens", noDeveloper: true } as const;

/** Where the messages wire is beside an OpenAI one under `/v1`. */
export const messagesBeside = {
  messages: "/../anthropic/v1/messages",
  "count-messages": "/../anthropic/v1/messages/count_tokens",
} as const;
