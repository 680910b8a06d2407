/** The first generation that thinks adaptively only and chooses its own sampling. */
const firstAdaptive = [4, 7] as const;

/** The first generation that takes one of temperature and top_p, not both. */
const firstWithOneSampling = [4, 1] as const;

/** Whether a model, by the vendor's name of it, refuses thinking budgets and every sampling parameter. */
export function takesAdaptiveOnly(model: string): boolean {
  return isFrom(model, firstAdaptive);
}

/** Whether a model refuses temperature and top_p together. */
export function takesOneSampling(model: string): boolean {
  return isFrom(model, firstWithOneSampling);
}

/** Names have the generation after the family or before it, and a date behind; other vendors' names have none. */
function isFrom(model: string, [major, minor]: readonly [number, number]): boolean {
  const [, first, second] = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/.exec(model) ?? [];
  if (first === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second ?? 0) >= minor);
}
