import { deleteOrganisationBudgets, shardOf } from "@modelgate/accounts";
import {
  bookOrganisation,
  bookTeam,
  changeMembership,
  deleteTeamOrOrganisation,
  readOrganisations,
  renameTeamOrOrganisation,
  type Books,
} from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import { orUnavailable, type OperatorRoutes } from "@modelgate/platform";
import { restoreBudgets, type BudgetWriteDeps } from "../accounts/write-budgets.ts";
import type { BooksConnection } from "../books-connection.ts";
import { fieldReaders } from "./body.ts";

/** Routes of organisations, teams and members. `depsOf` returns the dependencies for writing budgets to Redis. */
export function organisationRoutes(
  connection: BooksConnection,
  depsOf: (books: Books) => BudgetWriteDeps,
): OperatorRoutes {
  const use: BooksConnection["useDuringMove"] = (step) => connection.useDuringMove(step);
  return {
    "GET /organisations": async ({ query }) => {
      const filter = { id: query.get("id") ?? undefined, account: query.get("account") ?? undefined };
      return use((books) => readOrganisations(books, filter));
    },
    "POST /organisations": async ({ body, actor }) => {
      const request = { id: fieldReaders.text(body, "id"), name: fieldReaders.text(body, "name") };
      const result = await use((books) => bookOrganisation(books, request, actor));
      if (result === "used") throw usedIdFailure("organisation", request.id);
      return { created: result === "created" };
    },
    "POST /organisations/{id}/teams": async ({ params: { id: organisation = "" }, body, actor }) => {
      const request = {
        organisation,
        id: fieldReaders.text(body, "id"),
        name: fieldReaders.text(body, "name"),
        account: fieldReaders.text(body, "account"),
      };
      const result = await use(async (books) => {
        const booked = await bookTeam(books, request, actor, shardOf);
        await orUnavailable(restoreBudgets(depsOf(books), [request.account]));
        return booked;
      });
      checkTeamResult(result, request);
      return { result };
    },
    "POST /organisations/{id}/members": async ({ params: { id = "" }, body, actor }) => {
      const { team, role: written } = fieldReaders.object(body, "membership");
      if (typeof team !== "string") throw new Failure("invalid_value", "team must be a text.", { param: "team" });
      const role = (["admin", "member", null] as const).find((candidate) => candidate === written);
      if (role === undefined)
        throw new Failure("invalid_value", "role must be admin, member or null.", { param: "role" });
      const mayEndLastAdmin = fieldReaders.object(body, "membership")["mayEndLastAdmin"] === true;
      const request = { person: fieldReaders.text(body, "person"), team, role, mayEndLastAdmin };
      const result = await use((books) => changeMembership(books, id, request, actor));
      if (result === "no-team") throw new Failure("invalid_value", "There is no such team.", { param: "team" });
      if (result === "last-admin")
        throw new Failure("permission_denied", "Only an operator may remove the last admin of an organisation.");
      return {};
    },
    "POST /organisations/{id}/rename": async ({ params: { id: organisation = "" }, body, actor }) => {
      const request = { organisation, team: teamIn(body), name: fieldReaders.text(body, "name") };
      return { renamed: await use((books) => renameTeamOrOrganisation(books, request, actor)) };
    },
    "POST /organisations/{id}/delete": async ({ params: { id: organisation = "" }, body, actor }) => ({
      result: await use(async (books) => {
        const request = { organisation, team: teamIn(body), mayReleaseAccount: hasReleaseAccount(body) };
        const before = await accountsOf(books, organisation);
        const result = await deleteTeamOrOrganisation(books, request, actor);
        await orUnavailable(writeReleased(depsOf(books), organisation, before));
        return result;
      }),
    }),
  };
}

/** Updates the budgets in Redis of accounts that have left the organisation. */
async function writeReleased(deps: BudgetWriteDeps, organisation: string, before: readonly string[]): Promise<void> {
  const after = await accountsOf(deps.books, organisation);
  const released = before.filter((account) => !after.includes(account));
  await restoreBudgets(deps, released);
  if (after.length === 0) await deleteOrganisationBudgets(deps.redis, released, organisation);
}

async function accountsOf(books: Books, organisation: string): Promise<readonly string[]> {
  const [found] = await readOrganisations(books, { id: organisation });
  return found?.accounts ?? [];
}

/** Throws Failure for results that control does not handle. */
function checkTeamResult(
  result: Awaited<ReturnType<typeof bookTeam>>,
  { organisation, id, account }: { readonly organisation: string; readonly id: string; readonly account: string },
): void {
  if (result === "no-organisation") throw new Failure("unknown_url", "There is no such organisation.");
  if (result === "used") throw usedIdFailure("team", id);
  if (result !== "other-shard") return;
  const message = `The account ${account} cannot join the organisation ${organisation}, which has budgets: it is on another shard of Redis than the organisation's accounts. Choose an account whose id is equal to theirs up to the first ~, or create one.`;
  throw new Failure("invalid_value", message, { param: "account", status: 409 });
}

function usedIdFailure(kind: "organisation" | "team", id: string): Failure {
  const message = `The id ${id} was used by a deleted ${kind}. Choose another id.`;
  return new Failure("invalid_value", message, { param: "id", status: 409 });
}

function hasReleaseAccount(body: unknown): boolean {
  return typeof body === "object" && body !== null && Reflect.get(body, "releaseAccount") === true;
}

/** Reads the team of a request body; "" means the organisation itself. */
function teamIn(body: unknown): string {
  return typeof body === "object" && body !== null && "team" in body ? fieldReaders.text(body, "team") : "";
}
