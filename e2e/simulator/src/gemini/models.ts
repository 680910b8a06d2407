/** The first generation whose thinking is set in levels, whose calls have ids, and whose calls must come back signed. */
const firstWithSignatures = 3;

/** A model's generation by its name; undefined where the name has none. */
function generationOf(model: string): number | undefined {
  const [, generation] = /gemini-(\d+)/.exec(model) ?? [];
  return generation === undefined ? undefined : Number(generation);
}

/** Whether a model wants its calls back signed, gives them ids, and takes levels of thinking. */
export function signsCalls(model: string): boolean {
  return (generationOf(model) ?? 0) >= firstWithSignatures;
}

/** Whether a model takes budgets of thinking only. */
export function takesBudgetsOnly(model: string): boolean {
  return (generationOf(model) ?? firstWithSignatures) < firstWithSignatures;
}
