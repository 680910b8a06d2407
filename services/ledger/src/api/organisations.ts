import { shardOf } from "@modelgate/accounts";
import {
  bookOrganisation,
  bookTeam,
  changeMembership,
  deleteTeam,
  readOrganisations,
  renameTeam,
  type Books,
} from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import { orUnavailable, type OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { fieldReaders } from "./body.ts";

/**
 * Routes of organisations, their teams and members, for control. `projectBudgets` writes changed lists of budgets to
 * Redis: an account may gain or lose the budgets of its organisation.
 */
export function organisationRoutes(
  connection: BooksConnection,
  projectBudgets: (books: Books) => Promise<unknown>,
): OperatorRoutes {
  const use: BooksConnection["useDuringMove"] = (step) => connection.useDuringMove(step);
  const useWithBudgets = <T>(step: (books: Books) => Promise<T>): Promise<T> =>
    use(async (books) => {
      const result = await step(books);
      await orUnavailable(projectBudgets(books));
      return result;
    });
  return {
    "GET /organisations": async ({ query }) => {
      const filter = { id: query.get("id") ?? undefined, account: query.get("account") ?? undefined };
      return use((books) => readOrganisations(books, filter));
    },
    "POST /organisations": async ({ body, actor }) => {
      const request = { id: fieldReaders.text(body, "id"), name: fieldReaders.text(body, "name") };
      const result = await use((books) => bookOrganisation(books, request, actor));
      if (result === "used") throw usedId("organisation", request.id);
      return { created: result === "created" };
    },
    "POST /organisations/{id}/teams": async ({ params: { id: organisation = "" }, body, actor }) => {
      const request = {
        organisation,
        id: fieldReaders.text(body, "id"),
        name: fieldReaders.text(body, "name"),
        account: fieldReaders.text(body, "account"),
      };
      const result = await useWithBudgets((books) => bookTeam(books, request, actor, shardOf));
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
        throw new Failure("permission_denied", "Only an operator removes the last admin of an organisation.");
      return {};
    },
    "POST /organisations/{id}/rename": async ({ params: { id: organisation = "" }, body, actor }) => {
      const request = { organisation, team: teamIn(body), name: fieldReaders.text(body, "name") };
      return { renamed: await use((books) => renameTeam(books, request, actor)) };
    },
    "POST /organisations/{id}/delete": async ({ params: { id: organisation = "" }, body, actor }) => ({
      result: await useWithBudgets((books) => {
        const releaseAccount =
          typeof body === "object" && body !== null && Reflect.get(body, "releaseAccount") === true;
        return deleteTeam(books, { organisation, team: teamIn(body), releaseAccount }, actor);
      }),
    }),
  };
}

/**
 * Throws Failure for those results that control does not handle: no organisation, a used id, and an account on another
 * shard.
 */
function checkTeamResult(
  result: Awaited<ReturnType<typeof bookTeam>>,
  { organisation, id, account }: { readonly organisation: string; readonly id: string; readonly account: string },
): void {
  if (result === "no-organisation") throw new Failure("unknown_url", "There is no such organisation.");
  if (result === "used") throw usedId("team", id);
  if (result !== "other-shard") return;
  const message = `The account ${account} cannot join the organisation ${organisation}, which has budgets: it is on another shard of Redis than the organisation's accounts. Choose an account whose id is equal to theirs up to the first ~, or create one.`;
  throw new Failure("invalid_value", message, { param: "account", status: 409 });
}

function usedId(kind: "organisation" | "team", id: string): Failure {
  const message = `The id ${id} was used by a deleted ${kind}. Choose another id.`;
  return new Failure("invalid_value", message, { param: "id", status: 409 });
}

/** Returns the team that a request body names; "" for the organisation itself, if the body names no team. */
function teamIn(body: unknown): string {
  return typeof body === "object" && body !== null && "team" in body ? fieldReaders.text(body, "team") : "";
}
