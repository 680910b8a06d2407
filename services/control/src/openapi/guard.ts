import { Failure } from "@modelgate/contracts";
import { operatorRoles, type Operator, type OperatorCall, type OperatorRoutes } from "@modelgate/platform";
import type { Operation } from "./operation.ts";

/**
 * Guards every route by its row in the table of operations: checks the role, and limits a member to the member's
 * account. Throws an error for a route without a row, and for a row without a route.
 */
export function guardRoutes(routes: OperatorRoutes, operations: Readonly<Record<string, Operation>>): OperatorRoutes {
  const missing = Object.keys(operations).filter((route) => !Object.hasOwn(routes, route));
  const unknown = Object.keys(routes).filter((route) => !Object.hasOwn(operations, route));
  if (missing.length > 0 || unknown.length > 0)
    throw new Error(`operations and routes differ: ${[...missing, ...unknown].join(", ")}`);
  return Object.fromEntries(
    Object.entries(routes).map(([route, run]) => {
      const operation = operations[route];
      if (operation === undefined) return [route, run];
      return [route, async (call) => run(checkedCall(call, operation))] as const satisfies [string, typeof run];
    }),
  );
}

function checkedCall(call: OperatorCall, { role, member }: Operation): OperatorCall {
  const { operator } = call;
  if (role === "visitor") return call;
  if (operatorRoles.indexOf(operator.role) < operatorRoles.indexOf(role)) throw roleTooLow(operator, role);
  if (operator.account === undefined || member === "all" || member === "handler") return call;
  if (member === undefined) throw new Failure("permission_denied", `A member of ${operator.account} may not do this.`);
  // Answers as for an unknown account: members must not learn which accounts exist.
  if (member === "path" && call.params["id"] !== operator.account) throw noAccount(call.params["id"]);
  return member === "query" ? { ...call, query: queryForAccount(call.query, operator.account) } : call;
}

/** Limits a member's query to the member's account. Throws Failure unknown_url if the query names another account. */
function queryForAccount(query: URLSearchParams, account: string): URLSearchParams {
  const named = query.get("account");
  if (named !== null && named !== account) throw noAccount(named);
  const own = new URLSearchParams(query);
  own.set("account", account);
  return own;
}

function roleTooLow({ role }: Operator, wanted: string): Failure {
  if (role === "viewer") return new Failure("permission_denied", "A viewer cannot change anything.");
  return new Failure("permission_denied", `Only an ${wanted} may do this.`);
}

function noAccount(id: string | undefined): Failure {
  return new Failure("unknown_url", `There is no account ${JSON.stringify((id ?? "").slice(0, 100))}.`);
}
