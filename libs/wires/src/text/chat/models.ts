/**
 * Differences between vendors of this wire that show in a model's name only: the wire's own vendor has fields that
 * its many followers do not know, and refuses theirs. A name may stand behind a path (`openai/gpt-5`).
 */

/** Models that take the newest fields: `max_completion_tokens`, free-text tools, a list of allowed tools. */
const newest = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d))/;

/** Models whose vendor refuses fields that it does not know. */
const strict = /(?:^|\/)(?:o\d|gpt-\d|chatgpt-)/;

/** Models that take a wish for search on the web: all others of the wire's own vendor, and many of others, refuse it. */
const searching = /(?:^|\/)(?:gpt-[^/]*-search|sonar)/;

/**
 * Members that followers of the wire have added at the top of a request, and its own vendor refuses as unknown. Members that
 * neither knows pass: the vendor may have added them since.
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

export function takesNewestFields(model: string): boolean {
  return newest.test(model);
}

export function refusesUnknownFields(model: string): boolean {
  return strict.test(model);
}

export function searchesTheWeb(model: string): boolean {
  return searching.test(model);
}
