import { formatUsd, parseNanos, type Nanos, type UsageDraft } from "@modelgate/contracts";
import type { AppliedBudget, Budget } from "./budget.ts";

/** Texts that name the owner of a budget in the message, by the kind of the budget's scope. */
const owners: Readonly<Record<string, (value: string, call: UncoveredCall) => string>> = {
  account: () => "this account",
  organisation: (id) => `the organisation ${id}`,
  key: (id, { tokenId }) => (id === tokenId ? "this key" : "this key and the other keys that share its limit"),
  group: () => "this account in this key's group",
  model: (name) => `this account with the model ${name}`,
  tag: (tag) => `this account's calls with the tag ${tag}`,
  "end-user": (id) => `the end user ${id}`,
  team: (id) => `the team ${id}`,
  member: (value) => {
    const [first = "", name] = value.split("/");
    return name === undefined ? `the member ${first}` : `the member ${name} of the team ${first}`;
  },
};

interface UncoveredCall {
  readonly tokenId: string;
  readonly draft: Pick<UsageDraft, "model">;
}

/** Renders the message for a call that a budget does not cover. */
export function overBudgetMessage(over: AppliedBudget | undefined, call: UncoveredCall, left: Nanos): string {
  if (over === undefined) return `A budget does not cover this call of ${call.draft.model}.`;
  const { budget, period } = over;
  const [kind = "", ...value] = budget.scope.split(":");
  const owner = owners[kind]?.(value.join(":"), call) ?? "this account";
  const amount = `$${formatUsd(parseNanos(budget.nanos))}`;
  const length = budget.period === "total" ? "in total" : `per ${budget.period}`;
  const remaining = `$${formatUsd(left < 0n ? 0n : left)}`;
  return `The budget of ${owner} is ${amount} ${length}, and the remaining ${remaining} does not cover this call of ${call.draft.model}; ${resetOf(budget, period.endMs)}.${nameOf(budget)}`;
}

function resetOf({ period, zone = "UTC" }: Budget, endMs: number): string {
  if (period === "total") return "it does not reset";
  const end = new Date(endMs).toISOString().replace(".000Z", "Z");
  return `it resets at ${end}${zone === "UTC" ? "" : ` (midnight in ${zone})`}`;
}

function nameOf({ id, name, createdAt }: Budget): string {
  if (createdAt === "") return "";
  return name === undefined ? ` Budget ${id}.` : ` Budget ${id}, ${JSON.stringify(name)}.`;
}
