/**
 * First generation that has levels of thinking, gives ids to tool calls, and requires signatures when calls are sent
 * back.
 */
const firstWithSignatures = 3;

/** Returns a model's generation by its name; undefined if the name has none. */
function generationOf(model: string): number | undefined {
  const [, generation] = /gemini-(\d+)/.exec(model) ?? [];
  return generation === undefined ? undefined : Number(generation);
}

/** Returns true if a model signs tool calls, gives them ids, and accepts levels of thinking. */
export function signsCalls(model: string): boolean {
  return (generationOf(model) ?? 0) >= firstWithSignatures;
}

/** Returns true if a model accepts only budgets of thinking. */
export function takesBudgetsOnly(model: string): boolean {
  return (generationOf(model) ?? firstWithSignatures) < firstWithSignatures;
}
