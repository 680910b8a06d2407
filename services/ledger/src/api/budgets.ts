import { deleteOrganisationBudget, isOfOrganisation, readBudgets, shardOf, type Budget } from "@modelgate/accounts";
import { changeBookedBudgets, changeOrganisationBudgets, readBudgetsOf } from "@modelgate/books";
import { Failure, idOnShardOf, organisationOfScope, type AuditAction } from "@modelgate/contracts";
import { orUnavailable, type Bus, type OperatorRoutes } from "@modelgate/platform";
import { writeBookedBudgets, restoreBudgets, type BudgetWriteDeps } from "../accounts/write-budgets.ts";
import type { AccountDeps } from "./accounts.ts";
import { fieldReaders } from "./body.ts";

/** Maximum number of budgets of an account, because every call checks all of them. */
const maxBudgets = 100;

interface ChangedList {
  readonly budgets: readonly Budget[];
  readonly action: AuditAction;
  readonly before?: Budget;
  readonly after?: Budget;
}

/** Owner of a budget list: the organisation or, if it is undefined, the account. */
interface BudgetOwner {
  readonly account: string;
  readonly organisation: string | undefined;
}

/** Routes that change budgets. Changes are written to the books first, then to Redis. */
export function budgetRoutes({ redis, connection, bus }: AccountDeps & { readonly bus: Bus }): OperatorRoutes {
  const use = <T>(step: (deps: BudgetWriteDeps) => Promise<T>): Promise<T> =>
    orUnavailable(connection.useDuringMove((books) => step({ redis, books, bus })));
  return {
    "POST /accounts/{id}/budgets": ({ params: { id: account = "" }, body, actor }) =>
      use(async (deps) => {
        const after = fieldReaders.budget(body, "budget");
        await changeList(deps, { account, organisation: organisationOfScope(after.scope) }, actor, (budgets) => {
          checkNew(after, budgets);
          return { budgets: [...budgets, after], action: "budget.create", after };
        });
        return after;
      }),
    "POST /accounts/{id}/budgets/{budget}": ({ params: { id = "", budget = "" }, body, actor }) =>
      use(async (deps) => {
        const request = fieldReaders.object(body, "change");
        let after: Budget | undefined;
        await changeList(deps, await ownerOf(deps, id, budget), actor, (all) => {
          const before = budgetIn(all, budget);
          const [next = before] = readBudgets(JSON.stringify([applyChange(before, request)]));
          after = next;
          return { budgets: all.map((each) => (each === before ? next : each)), action: "budget.set", before, after };
        });
        return after;
      }),
    "POST /accounts/{id}/budgets/{budget}/delete": ({ params: { id = "", budget = "" }, actor }) =>
      use(async (deps) => {
        let before: Budget | undefined;
        await changeList(deps, await ownerOf(deps, id, budget), actor, (all) => {
          const found = budgetIn(all, budget);
          before = found;
          return { budgets: all.filter((each) => each !== found), action: "budget.delete", before: found };
        });
        if (before !== undefined && isOfOrganisation(before)) await deleteOrganisationBudget(redis, id, before);
        return {};
      }),
  };
}

/** Changes a budget list in the books, then in Redis. */
async function changeList(
  deps: BudgetWriteDeps,
  { account, organisation }: BudgetOwner,
  actor: string,
  step: (budgets: readonly Budget[]) => ChangedList,
): Promise<void> {
  const { books } = deps;
  const recordOf = (record: string) => {
    const { budgets, ...entry } = step(readBudgets(record));
    return { ...entry, record: JSON.stringify(budgets) };
  };
  if (organisation === undefined)
    return writeBookedBudgets(deps, await changeBookedBudgets(books, account, actor, recordOf));
  const accounts = await changeOrganisationBudgets(books, organisation, actor, (record, all) => {
    checkShard(organisation, all);
    return recordOf(record);
  });
  if (accounts === undefined) throw new Failure("unknown_url", "There is no such organisation.");
  return restoreBudgets(deps, accounts);
}

async function ownerOf({ books }: BudgetWriteDeps, account: string, id: string): Promise<BudgetOwner> {
  const [booked] = await readBudgetsOf(books, [account]);
  return { account, organisation: organisationOfScope(budgetIn(readBudgets(booked?.record ?? "[]"), id).scope) };
}

/** Throws Failure (409) if another budget has the scope and period, or if there are too many budgets. */
function checkNew({ scope, period }: Budget, budgets: readonly Budget[]): void {
  const same = budgets.find((other) => other.scope === scope && other.period === period);
  if (same !== undefined)
    throw new Failure("invalid_value", `The budget ${same.id} already has this scope and period: change that budget.`, {
      param: "scope",
      status: 409,
    });
  if (budgets.filter((each) => !isOfOrganisation(each)).length >= maxBudgets)
    throw new Failure("invalid_value", `The account has ${maxBudgets} budgets, the maximum.`, {
      status: 409,
    });
}

/** Throws Failure (409) if accounts are on different shards, because one script of Redis cannot change both. */
function checkShard(organisation: string, accounts: readonly string[]): void {
  if (new Set(accounts.map(shardOf)).size <= 1) return;
  const [first = ""] = accounts;
  const others = accounts.filter((account) => shardOf(account) !== shardOf(first));
  const example = idOnShardOf(first, others[0] ?? "");
  throw new Failure(
    "invalid_value",
    `No budget can apply to all accounts of the organisation ${organisation}, because they are on different shards of Redis: ${first} is on another one than ${others.slice(0, 10).join(", ")}. Accounts share a shard if their ids are equal up to the first ~. Create such accounts for the other teams: gatectl account create ${example}`,
    { param: "scope", status: 409 },
  );
}

/** Returns a budget with changed members. Null removes a member. */
function applyChange(before: Budget, request: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries({ ...before, ...request }).filter(([, value]) => value !== null));
}

function budgetIn(budgets: readonly Budget[], id: string): Budget {
  const found = budgets.find((budget) => budget.id === id);
  if (found !== undefined) return found;
  throw new Failure("unknown_url", `There is no budget ${JSON.stringify(id.slice(0, 100))}.`);
}
