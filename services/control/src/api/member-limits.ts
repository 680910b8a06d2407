import type { Token } from "@modelgate/accounts";
import { Failure, formatUsd, parseNanos } from "@modelgate/contracts";

/** Limits of a key that an account's operators set. */
export type KeyLimits = Pick<Token, "group" | "models" | "expiresAt" | "budget">;

/** A limit that goes beyond what there is: the field that asks for it, and what it may ask for. */
interface Beyond {
  readonly param: string;
  readonly message: string;
}

/** One field of a key: what is wrong with a wish that goes beyond a bound. */
type Check = (wish: KeyLimits, bound: KeyLimits) => Beyond | undefined;

/** The fields in the order in which they are looked at. */
const checks: readonly Check[] = [
  (wish, bound) =>
    wish.group === bound.group
      ? undefined
      : { param: "group", message: `group must be one that operators gave the account, as ${bound.group}.` },
  ({ models }, bound) =>
    bound.models === undefined || models?.every((model) => bound.models?.includes(model)) === true
      ? undefined
      : { param: "models", message: `models must be among ${bound.models.join(", ")}: an operator set them.` },
  ({ expiresAt }, bound) =>
    bound.expiresAt === undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(bound.expiresAt))
      ? undefined
      : { param: "expiresAt", message: `expiresAt must not be after ${bound.expiresAt}: an operator set it.` },
  budgetCheck("perDay", "dollarsPerDay"),
  budgetCheck("perMonth", "dollarsPerMonth"),
];

function budgetCheck(name: "perDay" | "perMonth", param: string): Check {
  return ({ budget }, bound) => {
    const [requested, max] = [budget?.[name], bound.budget?.[name]];
    if (max === undefined || (requested !== undefined && BigInt(requested) <= BigInt(max))) return undefined;
    return { param, message: `${param} must be at most ${formatUsd(parseNanos(max))}: an operator set it.` };
  };
}

/**
 * A member of an account narrows what its operators set and never widens it: a key keeps within one of these others, each in
 * its own way. Returns that one, if there are several the first. Throws Failure invalid_value naming the field that goes
 * beyond the nearest of them.
 */
export function boundOf<Bound extends KeyLimits>(wish: KeyLimits, bounds: readonly Bound[]): Bound {
  const beyond = bounds.map((bound) => checks.findIndex((check) => check(wish, bound) !== undefined));
  const within = bounds[beyond.indexOf(-1)];
  if (within !== undefined) return within;
  const bound = bounds[beyond.indexOf(Math.max(...beyond))];
  const first = bound && checks.flatMap((check) => check(wish, bound) ?? [])[0];
  const { param, message } = first ?? {
    param: "group",
    message: "The account has no key of an operator yet: ask one for it.",
  };
  throw new Failure("invalid_value", message, { param });
}

/**
 * The keys of an account that its operators made or changed and that work now: what bounds those that its members make. Those
 * without a budget come first, so that nobody shares one without need.
 */
export function operatorsKeys(tokens: readonly Token[]): readonly Token[] {
  const all = tokens.filter(
    ({ ofMember, settingsId, disabled, expiresAt }) =>
      ofMember === undefined &&
      settingsId === undefined &&
      !disabled &&
      (expiresAt === undefined || Date.parse(expiresAt) > Date.now()),
  );
  return all.toSorted((one, other) => Number(one.budget !== undefined) - Number(other.budget !== undefined));
}

/** The budget of an operator's key that a member's key within it shares; undefined where it has none. */
export function sharedBudget({ id, budget }: Pick<Token, "id" | "budget">): Token["within"] {
  return budget === undefined ? undefined : { id, ...budget };
}
