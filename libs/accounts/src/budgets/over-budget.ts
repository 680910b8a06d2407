import { formatUsd, parseNanos, type Nanos, type UsageDraft } from "@modelgate/contracts";
import type { AppliedBudget, Budget } from "./budget.ts";

/** Subject of the message, by the kind of a budget's scope. */
const subjects: Readonly<Record<string, (value: string, call: OverBudget) => string>> = {
  account: () => "This account",
  key: (id, { tokenId }) =>
    id === tokenId ? "This key" : "This key, with the others of the account that share its limit,",
  group: () => "This account in this key's group",
  model: (name) => `This account with the model ${name}`,
  tag: (tag) => `This account's calls with the tag ${tag}`,
  "end-user": (id) => `The end user ${id}`,
};

/** A call that a budget does not cover. */
interface OverBudget {
  readonly tokenId: string;
  readonly draft: Pick<UsageDraft, "model">;
}

/** Renders the message for a call that a budget does not cover: scope and amount, what is left, and the next period. */
export function overBudgetMessage(over: AppliedBudget | undefined, call: OverBudget, left: Nanos): string {
  if (over === undefined) return `A budget does not cover this call of ${call.draft.model}.`;
  const { budget, period } = over;
  const [kind = "", ...value] = budget.scope.split(":");
  const subject = subjects[kind]?.(value.join(":"), call) ?? "This account";
  const amount = `$${formatUsd(parseNanos(budget.nanos))}`;
  const each = budget.period === "total" ? "in total" : `a ${budget.period}`;
  const rest = `$${formatUsd(left < 0n ? 0n : left)}`;
  return `${subject} may spend ${amount} ${each}, and the ${rest} that are left do not cover this call of ${call.draft.model}; ${resetOf(budget, period.endMs)}.${nameOf(budget)}`;
}

function resetOf({ period, zone = "UTC" }: Budget, endMs: number): string {
  if (period === "total") return "the budget does not begin again";
  const end = new Date(endMs).toISOString().replace(".000Z", "Z");
  return `the next ${period} begins at ${end}${zone === "UTC" ? "" : ` (midnight in ${zone})`}`;
}

/** Returns the name of a budget in the account's list; "" for the budget of a key or a group. */
function nameOf({ id, name, createdAt }: Budget): string {
  if (createdAt === "") return "";
  return name === undefined ? ` Budget ${id}.` : ` Budget ${id}, ${JSON.stringify(name)}.`;
}
