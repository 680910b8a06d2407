import type { Candidate } from "@modelgate/catalog";
import type { ChannelChoice } from "@modelgate/contracts";

/** How one of several candidates of the same priority is chosen. */
export interface ChoiceOptions {
  /** Absent: by weight. */
  readonly choice?: ChannelChoice | undefined;
  /** How long a call is likely to wait there; the lower, the sooner. */
  readonly score: (candidate: Candidate) => number;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
}

type Weighed = { readonly candidate: Candidate };

/** Chooses one of several as the model says; undefined where there is none. */
export function choose<T extends Weighed>(
  from: readonly T[],
  { choice = "weighted", score, random }: ChoiceOptions,
): T | undefined {
  if (from.length < 2) return from[0];
  if (choice === "fastest") return faster(from, score, random);
  return weighted(choice === "cheapest" ? cheapest(from) : from, random);
}

/** Those that cost least at their vendors; those of unknown cost come after all others. */
function cheapest<T extends Weighed>(from: readonly T[]): readonly T[] {
  const costOf = ({ candidate }: T): number => candidate.cost ?? Infinity;
  const least = Math.min(...from.map(costOf));
  return from.filter((each) => costOf(each) === least);
}

/** The better of two that are drawn by lot: so the fastest is not run down by everybody at once. */
function faster<T extends Weighed>(
  from: readonly T[],
  score: ChoiceOptions["score"],
  random: () => number,
): T | undefined {
  const first = Math.floor(random() * from.length);
  const second = (first + 1 + Math.floor(random() * (from.length - 1))) % from.length;
  const [one, other] = [from[first], from[second]];
  if (one === undefined || other === undefined) return one ?? other;
  return score(other.candidate) < score(one.candidate) ? other : one;
}

/** One of several by weight; all weights zero count as equal. */
function weighted<T extends Weighed>(from: readonly T[], random: () => number): T | undefined {
  if (from.length < 2) return from[0];
  const weights = from.map(({ candidate }) => candidate.channel.weight);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum === 0) return from[Math.floor(random() * from.length)];
  let left = random() * sum;
  return from.find((_, at) => (left -= weights[at] ?? 0) < 0) ?? from.at(-1);
}
