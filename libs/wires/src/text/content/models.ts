/** The first generation whose thinking is set in levels; those before it take budgets. */
const firstWithLevels = 3;

/** Whether a model, by the vendor's name of it, takes levels of thinking. */
export function thinksInLevels(model: string): boolean {
  const [, generation] = /gemini-(\d+)/.exec(model) ?? [];
  return generation !== undefined && Number(generation) >= firstWithLevels;
}
