import { Failure, organisationScope } from "@modelgate/contracts";
import {
  operatorRoles,
  type Operator,
  type OperatorCall,
  type OperatorRoutes,
  type OrganisationAccess,
} from "@modelgate/platform";
import type { Operation } from "./operation.ts";

type FindAccess = (operator: Operator) => Promise<OrganisationAccess | undefined>;

/**
 * Checks the role for each route, and limits members to their accounts and teams. Throws an error if routes and
 * operations differ.
 */
export function guardRoutes(
  routes: OperatorRoutes,
  operations: Readonly<Record<string, Operation>>,
  findAccess: FindAccess,
): OperatorRoutes {
  const missing = Object.keys(operations).filter((route) => !Object.hasOwn(routes, route));
  const unknown = Object.keys(routes).filter((route) => !Object.hasOwn(operations, route));
  if (missing.length > 0 || unknown.length > 0)
    throw new Error(`operations and routes differ: ${[...missing, ...unknown].join(", ")}`);
  return Object.fromEntries(
    Object.entries(routes).map(([route, run]) => {
      const operation = operations[route];
      if (operation === undefined) return [route, run];
      const guarded: typeof run = async (call) => run(await checkedCall(call, operation, findAccess));
      return [route, guarded] as const;
    }),
  );
}

async function checkedCall(call: OperatorCall, operation: Operation, findAccess: FindAccess): Promise<OperatorCall> {
  const { operator } = call;
  const { role, member } = operation;
  if (role === "visitor") return call;
  if (operatorRoles.indexOf(operator.role) < operatorRoles.indexOf(role)) throw roleTooLow(operator, role);
  if (operator.account === undefined || member === "all") return call;
  const access = await findAccess(operator);
  if (access !== undefined) return callInOrganisation(call, operation, access);
  if (member === "handler") return call;
  if (member === undefined || member === "organisation")
    throw new Failure("permission_denied", `A member of ${operator.account} may not do this.`);
  // Answers as for an unknown account, because members must not learn which accounts exist.
  if (member === "path" && call.params["id"] !== operator.account) throw notFound("account", call.params["id"]);
  return member === "query" || member === "accounts"
    ? { ...call, query: queryForAccount(call.query, operator.account) }
    : call;
}

/**
 * Limits a call to the accounts and teams of a person of an organisation. People of teams may call only operations with
 * `teams`.
 */
function callInOrganisation(
  call: OperatorCall,
  { member, teams }: Operation,
  access: OrganisationAccess,
): OperatorCall {
  const { params, operator } = call;
  if (member === undefined || (access.teams !== undefined && teams !== true))
    throw new Failure("permission_denied", "Your role in the organisation does not permit this.");
  if (member === "organisation" && params["id"] !== access.organisation) throw notFound("organisation", params["id"]);
  if (member === "path" && !access.accounts.includes(params["id"] ?? "")) throw notFound("account", params["id"]);
  const limited = { ...call, operator: { ...operator, access } };
  if (member === "accounts") return { ...limited, query: queryForAccounts(call.query, access) };
  if (member !== "query") return limited;
  return { ...limited, query: queryForOrganisation(call.query, access, teams === true) };
}

/** Limits a member's query to the member's account. Throws Failure for another account. */
function queryForAccount(query: URLSearchParams, account: string): URLSearchParams {
  const requestedAccount = query.get("account");
  if (requestedAccount !== null && requestedAccount !== account) throw notFound("account", requestedAccount);
  const limitedQuery = new URLSearchParams(query);
  limitedQuery.set("account", account);
  return limitedQuery;
}

/** Limits a query to the accounts of an organisation and the organisation itself. */
function queryForAccounts(query: URLSearchParams, { accounts, organisation }: OrganisationAccess): URLSearchParams {
  const all = [...accounts, organisationScope(organisation)];
  const requestedAccount = query.get("account");
  if (requestedAccount !== null && !all.includes(requestedAccount)) throw notFound("account", requestedAccount);
  const limitedQuery = new URLSearchParams(query);
  limitedQuery.set("account", requestedAccount ?? all.join(","));
  return limitedQuery;
}

/**
 * Limits a query to the organisation and the person's teams. For an operation without teams, limits the query to an
 * account. Throws Failure if the person has several accounts and the query names none.
 */
function queryForOrganisation(
  query: URLSearchParams,
  { organisation, accounts, teams }: OrganisationAccess,
  hasTeams: boolean,
): URLSearchParams {
  const requestedAccount = query.get("account");
  if (requestedAccount !== null && !accounts.includes(requestedAccount)) throw notFound("account", requestedAccount);
  const limitedQuery = new URLSearchParams(query);
  if (hasTeams) {
    limitedQuery.set("organisation", organisation);
    if (teams === undefined) return limitedQuery;
    const requestedTeam = query.get("team");
    const ids = teams.map(({ id }) => id);
    if (requestedTeam !== null && !ids.includes(requestedTeam)) throw notFound("team", requestedTeam);
    limitedQuery.set("team", requestedTeam ?? ids.join(","));
    return limitedQuery;
  }
  const account = requestedAccount ?? (accounts.length === 1 ? accounts[0] : undefined);
  if (account === undefined)
    throw new Failure("missing_required_parameter", `account is missing: it is one of ${accounts.join(", ")}.`, {
      param: "account",
    });
  limitedQuery.set("account", account);
  return limitedQuery;
}

function roleTooLow({ role }: Operator, requiredRole: string): Failure {
  if (role === "viewer") return new Failure("permission_denied", "A viewer cannot change anything.");
  return new Failure("permission_denied", `Only an ${requiredRole} may do this.`);
}

function notFound(kind: string, id: string | undefined): Failure {
  return new Failure("unknown_url", `There is no ${kind} ${JSON.stringify((id ?? "").slice(0, 100))}.`);
}
