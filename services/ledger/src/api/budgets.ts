import { readBudgets, type Budget } from "@modelgate/accounts";
import { changeBookedBudgets, type Books } from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import { orUnavailable, type Bus, type OperatorRoutes } from "@modelgate/platform";
import { projectBookedBudgets } from "../accounts/project-budgets.ts";
import type { AccountDeps } from "./accounts.ts";
import { fieldReaders } from "./body.ts";

/** Maximum budgets of an account. Every call compares its scopes with all of them. */
const maxBudgets = 100;

/** A changed list of budgets, and the budget that was changed. */
interface ChangedList {
  readonly budgets: readonly Budget[];
  readonly action: string;
  readonly before?: Budget;
  readonly after?: Budget;
}

/** Routes that change the budgets of an account. Each change is written to the books first, then to Redis. */
export function budgetRoutes({ redis, connection, bus }: AccountDeps & { readonly bus: Bus }): OperatorRoutes {
  const change = (account: string, actor: string, step: (budgets: readonly Budget[]) => ChangedList) =>
    orUnavailable(
      connection.useDuringMove(async (books: Books) => {
        const booked = await changeBookedBudgets(books, account, actor, (record) => {
          const { budgets, ...entry } = step(readBudgets(record));
          return { ...entry, record: JSON.stringify(budgets) };
        });
        return projectBookedBudgets({ redis, books, bus }, booked);
      }),
    );
  return {
    "POST /accounts/{id}/budgets": async ({ params: { id = "" }, body, actor }) => {
      const after = fieldReaders.budget(body, "budget");
      await change(id, actor, (budgets) => {
        checkNew(after, budgets);
        return { budgets: [...budgets, after], action: "budget.create", after };
      });
      return after;
    },
    "POST /accounts/{id}/budgets/{budget}": async ({ params: { id = "", budget = "" }, body, actor }) => {
      const request = fieldReaders.object(body, "change");
      const budgets = await change(id, actor, (all) => {
        const before = budgetIn(all, budget);
        const [after = before] = readBudgets(JSON.stringify([changed(before, request)]));
        const changedList = all.map((each) => (each === before ? after : each));
        return { budgets: changedList, action: "budget.set", before, after };
      });
      return budgetIn(budgets, budget);
    },
    "POST /accounts/{id}/budgets/{budget}/delete": async ({ params: { id = "", budget = "" }, actor }) => {
      await change(id, actor, (all) => {
        const before = budgetIn(all, budget);
        return { budgets: all.filter((each) => each !== before), action: "budget.delete", before };
      });
      return {};
    },
  };
}

/** Throws Failure (409) if a budget has the scope and period of another one, or if the account has too many. */
function checkNew({ scope, period }: Budget, budgets: readonly Budget[]): void {
  const same = budgets.find((other) => other.scope === scope && other.period === period);
  if (same !== undefined)
    throw new Failure("invalid_value", `The budget ${same.id} already has this scope and period: change that budget.`, {
      param: "scope",
      status: 409,
    });
  if (budgets.length >= maxBudgets)
    throw new Failure("invalid_value", `The account has ${maxBudgets} budgets, the maximum.`, {
      status: 409,
    });
}

/** Returns a budget with changed members; null removes a member. */
function changed(before: Budget, request: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries({ ...before, ...request }).filter(([, value]) => value !== null));
}

function budgetIn(budgets: readonly Budget[], id: string): Budget {
  const found = budgets.find((budget) => budget.id === id);
  if (found !== undefined) return found;
  throw new Failure("unknown_url", `There is no budget ${JSON.stringify(id.slice(0, 100))}.`);
}
