/** Matches models of OpenAI, which refuses fields that it does not know. */
const openaiModels = /(?:^|[/:])(?:o\d|gpt-\d|chatgpt-)/;

/** Returns true if a model's vendor refuses unknown fields. The model's name may follow a path or `ft:`. */
export function refusesUnknownFields(model: string): boolean {
  return openaiModels.test(model);
}

/**
 * Top-level members that compatible vendors have added to chat completions and responses, and that OpenAI refuses as
 * unknown. Any other unknown member is forwarded, since OpenAI may have added it. `reasoning` is a member of OpenAI's
 * responses.
 */
export const extensionMembers: ReadonlySet<string> = new Set([
  "thinking",
  "thinking_budget",
  "enable_thinking",
  "reasoning",
  "include_reasoning",
  "chat_template_kwargs",
  "top_k",
  "top_a",
  "min_p",
  "typical_p",
  "repetition_penalty",
  "min_tokens",
  "usage",
  "provider",
  "models",
  "route",
  "transforms",
  "plugins",
  "safe_prompt",
  "random_seed",
  "search_parameters",
  "enable_search",
  "guided_json",
  "guided_regex",
  "guided_choice",
  "guided_grammar",
  "image_config",
]);
