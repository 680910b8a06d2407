/**
 * Differences between vendors of this wire that show in a model's name only: the wire's own vendor has fields that
 * its many followers do not know, and refuses theirs. A name may stand behind a path (`openai/gpt-5`).
 */

/** Models that take the newest fields: `max_completion_tokens`, free-text tools, a list of allowed tools. */
const newest = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|\d\d))/;

/** Models that take a wish for search on the web: all others of the wire's own vendor, and many of others, refuse it. */
const searching = /(?:^|\/)(?:gpt-[^/]*-search|sonar)/;

export function takesNewestFields(model: string): boolean {
  return newest.test(model);
}

export function searchesTheWeb(model: string): boolean {
  return searching.test(model);
}
