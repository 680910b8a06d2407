import { includesRanges, type Token, type KeyBudget } from "@modelgate/accounts";
import { Failure, formatUsd, parseNanos } from "@modelgate/contracts";

/** Limits of an API key. */
export type KeyLimits = Pick<
  Token,
  "group" | "models" | "expiresAt" | "allowedAddresses" | "budget" | "rotateAfterDays"
>;

interface LimitViolation {
  readonly param: string;
  readonly message: string;
}

/** Compares one field of an API key with that of a bounding key. Returns undefined if the bounding key allows it. */
type FieldCheck = (requested: KeyLimits, bound: KeyLimits) => LimitViolation | undefined;

/** Checks in the order in which violations are reported. */
const checks: readonly FieldCheck[] = [
  (requested, bound) =>
    requested.group === bound.group
      ? undefined
      : {
          param: "group",
          message: `group must be one that operators assigned to the account, such as ${bound.group}.`,
        },
  ({ models }, bound) =>
    bound.models === undefined || models?.every((model) => bound.models?.includes(model)) === true
      ? undefined
      : { param: "models", message: `models must be among ${bound.models.join(", ")}: an operator set them.` },
  ({ expiresAt }, bound) =>
    bound.expiresAt === undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(bound.expiresAt))
      ? undefined
      : { param: "expiresAt", message: `expiresAt must not be after ${bound.expiresAt}: an operator set it.` },
  ({ allowedAddresses }, bound) =>
    bound.allowedAddresses === undefined ||
    (allowedAddresses !== undefined && includesRanges(bound.allowedAddresses, allowedAddresses))
      ? undefined
      : {
          param: "allowedAddresses",
          message: `allowedAddresses must be within ${bound.allowedAddresses.join(", ")}: an operator set them.`,
        },
  budgetCheck("perDay", "dollarsPerDay"),
  budgetCheck("perMonth", "dollarsPerMonth"),
  (requested, bound) => countCheck("requestsPerDay", requested.budget?.requestsPerDay, bound.budget?.requestsPerDay),
  (requested, bound) => countCheck("rotateAfterDays", requested.rotateAfterDays, bound.rotateAfterDays),
];

function budgetCheck(name: "perDay" | "perMonth", param: string): FieldCheck {
  return ({ budget }, bound) => {
    const [requested, max] = [budget?.[name], bound.budget?.[name]];
    if (max === undefined || (requested !== undefined && BigInt(requested) <= BigInt(max))) return undefined;
    return { param, message: `${param} must be at most ${formatUsd(parseNanos(max))}: an operator set it.` };
  };
}

function countCheck(param: string, requested: number | undefined, max: number | undefined): LimitViolation | undefined {
  if (max === undefined || (requested !== undefined && requested <= max)) return undefined;
  return { param, message: `${param} must be at most ${max}: an operator set it.` };
}

/**
 * Returns the first operator's key whose limits include those of a member's key, because members can only narrow
 * limits. Throws Failure if there is none.
 */
export function findBoundingKey<Bound extends KeyLimits>(requested: KeyLimits, bounds: readonly Bound[]): Bound {
  const firstFailures = bounds.map((bound) => checks.findIndex((check) => check(requested, bound) !== undefined));
  const boundingKey = bounds[firstFailures.indexOf(-1)];
  if (boundingKey !== undefined) return boundingKey;
  const bound = bounds[firstFailures.indexOf(Math.max(...firstFailures))];
  const first = bound && checks.flatMap((check) => check(requested, bound) ?? [])[0];
  const { param, message } = first ?? {
    param: "group",
    message: "The account has no key from an operator yet: ask an operator to create one.",
  };
  throw new Failure("invalid_value", message, { param });
}

/**
 * Returns the active keys of operators that can bound a member's key: those of the same team, and those without a team.
 * Keys without a budget come first, so that a budget is shared only if necessary.
 */
export function boundingKeyCandidates(tokens: readonly Token[], membersKey: Pick<Token, "team">): readonly Token[] {
  const all = tokens.filter(
    ({ ofMember, within, team, settingsId, playgroundOf, disabled, expiresAt }) =>
      ofMember === undefined &&
      playgroundOf === undefined &&
      within === undefined &&
      (team === undefined || team === membersKey.team) &&
      settingsId === undefined &&
      !disabled &&
      (expiresAt === undefined || Date.parse(expiresAt) > Date.now()),
  );
  return all.toSorted((one, other) => Number(one.budget !== undefined) - Number(other.budget !== undefined));
}

/**
 * Returns the value of `within` for a member's key: the id of the bounding key, and the budget that both keys share.
 * The id is needed even without a budget, because a budget of the account may have the scope `key:ID`.
 */
export function sharedBudget({ id, budget }: Pick<Token, "id" | "budget">): NonNullable<Token["within"]> {
  return { id, ...budget };
}

/** Returns whether a member's key shares a limit per day or month with its bounding key. */
export function sharesBudget({ within }: Pick<Token, "within">): boolean {
  return within !== undefined && !isSameBudget(within, {});
}

/**
 * Returns true if a change raises or removes a limit of a key, so that it exceeds the budget that the key shares. Limits that
 * the change keeps are not compared.
 */
export function exceedsSharedBudget(
  { budget: before, within }: Pick<Token, "budget" | "within">,
  requested: KeyBudget | null | undefined,
): boolean {
  if (requested === undefined) return false;
  return limitNames.some((name) => {
    const [max, limit] = [within?.[name], requested?.[name]];
    return max !== undefined && limit !== before?.[name] && (limit === undefined || BigInt(limit) > BigInt(max));
  });
}

/** Returns whether two budgets have the same limits. */
export function isSameBudget(one: KeyBudget, other: KeyBudget): boolean {
  return limitNames.every((name) => one[name] === other[name]);
}

const limitNames = ["perDay", "perMonth", "requestsPerDay"] as const;
