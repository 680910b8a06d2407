/** Models whose vendor, who made chat completions and responses, refuses fields that it does not know. */
const strict = /(?:^|\/)(?:o\d|gpt-\d|chatgpt-)/;

/** Returns true if a model's vendor refuses what it does not know. A name may be after a path (`openai/gpt-5`). */
export function refusesUnknownFields(model: string): boolean {
  return strict.test(model);
}

/**
 * Members that followers of those wires have added at the top of a request, and their own vendor refuses as unknown. Members
 * that neither knows pass: the vendor may have added them since. `reasoning` is the vendor's own in responses.
 */
export const followersMembers: ReadonlySet<string> = new Set([
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
