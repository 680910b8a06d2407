import type { Token } from "@modelgate/accounts";
import { Failure, formatUsd, parseNanos } from "@modelgate/contracts";

/** What a key may do, as far as an account's operators bound it. */
export type KeyLimits = Pick<Token, "group" | "models" | "expiresAt" | "budget">;

/** A limit that goes beyond what there is: the field that asks for it, and what it may ask for. */
interface Beyond {
  readonly param: string;
  readonly say: string;
}

/** One field of a key: what is wrong with a wish that goes beyond a bound. */
type Check = (wish: KeyLimits, bound: KeyLimits) => Beyond | undefined;

/** The fields in the order in which they are looked at. */
const checks: readonly Check[] = [
  (wish, bound) =>
    wish.group === bound.group
      ? undefined
      : { param: "group", say: `group must be one that operators gave the account, as ${bound.group}.` },
  ({ models }, bound) =>
    bound.models === undefined || models?.every((model) => bound.models?.includes(model)) === true
      ? undefined
      : { param: "models", say: `models must be among ${bound.models.join(", ")}: an operator set them.` },
  ({ expiresAt }, bound) =>
    bound.expiresAt === undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(bound.expiresAt))
      ? undefined
      : { param: "expiresAt", say: `expiresAt must not be after ${bound.expiresAt}: an operator set it.` },
  budgetCheck("perDay", "dollarsPerDay"),
  budgetCheck("perMonth", "dollarsPerMonth"),
];

function budgetCheck(name: "perDay" | "perMonth", param: string): Check {
  return ({ budget }, bound) => {
    const [asked, most] = [budget?.[name], bound.budget?.[name]];
    if (most === undefined || (asked !== undefined && BigInt(asked) <= BigInt(most))) return undefined;
    return { param, say: `${param} must be at most ${formatUsd(parseNanos(most))}: an operator set it.` };
  };
}

/**
 * A member of an account narrows what its operators set and never widens it: a key keeps within one of these others, each in
 * its own way. Throws Failure invalid_value naming the field that goes beyond the nearest of them.
 */
export function checkWithin(wish: KeyLimits, bounds: readonly KeyLimits[]): void {
  const beyond = bounds.map((bound) => checks.findIndex((check) => check(wish, bound) !== undefined));
  if (beyond.includes(-1)) return;
  const bound = bounds[beyond.indexOf(Math.max(...beyond))];
  const first = bound && checks.flatMap((check) => check(wish, bound) ?? [])[0];
  const { param, say } = first ?? { param: "group", say: "The account has no key of an operator yet: ask one for it." };
  throw new Failure("invalid_value", say, { param });
}

/** The keys of an account that its operators made or changed: what bounds those that its members make. */
export function operatorsKeys(tokens: readonly Token[]): readonly Token[] {
  return tokens.filter(({ ofMember, settingsId }) => ofMember === undefined && settingsId === undefined);
}
