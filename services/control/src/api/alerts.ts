import { Alert, Failure, type AlertTarget } from "@modelgate/contracts";
import type { Operator, OperatorCall, OperatorRoutes, Redis, Secrets } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import { ownAccounts } from "../organisations/access.ts";
import { requireAccount } from "./accounts.ts";
import { readNewAlertTarget } from "./alert-target.ts";
import { fields, invalidField } from "./fields.ts";

/** Dependencies of the routes of alerts. */
export interface AlertRouteDeps {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly secrets: Secrets;
  /** Addresses of stores and services. A target must not use their ports. */
  readonly internalAddresses: readonly string[];
}

/**
 * Routes of alerts and their targets. A viewer of an account sees them, and an operator of the account changes its
 * targets.
 */
export function alertRoutes({ redis, ledger, secrets, internalAddresses }: AlertRouteDeps): OperatorRoutes {
  const targetFor = async ({ params: { id = "" }, operator }: OperatorCall): Promise<AlertTarget> => {
    const targets = await ledger.read<readonly AlertTarget[]>(
      `/alert-targets?${ownTargetsQuery(operator, "account").toString()}`,
    );
    const found = targets.find((target) => target.id === id);
    if (found !== undefined) return found;
    throw new Failure("unknown_url", `There is no alert target ${JSON.stringify(id.slice(0, 100))}.`);
  };
  return {
    "GET /alerts": async ({ query, operator }) => {
      const filter = ownTargetsQuery(operator, "targets-of");
      for (const name of ["account", "kind", "state", "limit", "before"]) {
        const value = query.get(name);
        if (value !== null) filter.set(name, value);
      }
      checkFilter(query);
      return ledger.read(`/alerts?${filter.toString()}`);
    },
    "POST /alerts/{id}/retry": async ({ params: { id = "" }, operator, actor }) =>
      ledger.write(
        `/alerts/${encodeURIComponent(id)}/retry?${ownTargetsQuery(operator, "targets-of").toString()}`,
        {},
        actor,
      ),
    "GET /alert-targets": async ({ query }) => {
      const account = query.get("account");
      return ledger.read(`/alert-targets${account === null ? "" : `?account=${encodeURIComponent(account)}`}`);
    },
    "POST /alert-targets": async ({ body, operator, actor }) => {
      const account = accountOfTarget(operator, body);
      if (account !== "") await requireAccount(redis, account);
      // A target of all alerts may be in a private network, so only an admin may add one.
      else if (operator.role !== "admin")
        throw new Failure("permission_denied", "Only an admin may add a target of all alerts.");
      const addedByMember = operator.account !== undefined && operator.access === undefined ? true : undefined;
      const { target, sealed, secret } = readNewAlertTarget(body, account, {
        secrets,
        internalAddresses,
        addedByMember,
      });
      const created = await ledger.write<AlertTarget>("/alert-targets", { target, sealed }, actor);
      return secret === undefined ? created : { ...created, secret };
    },
    "POST /alert-targets/{id}/delete": async (call) => {
      const { id } = await targetFor(call);
      return ledger.write(`/alert-targets/${encodeURIComponent(id)}/delete`, {}, call.actor);
    },
    "POST /alert-targets/{id}/test": async (call) => {
      const { id } = await targetFor(call);
      return ledger.write(`/alert-targets/${encodeURIComponent(id)}/test`, {}, call.actor);
    },
  };
}

/** Returns a query that limits the caller to targets of the caller's accounts. */
function ownTargetsQuery(operator: Operator, name: string): URLSearchParams {
  const accounts = ownAccounts(operator);
  return new URLSearchParams(accounts === undefined ? {} : { [name]: accounts.join(",") });
}

/**
 * Returns the account of a new target; "" for a target of all alerts. Throws Failure for an account outside of the
 * caller's organisation.
 */
function accountOfTarget({ account, access }: Operator, body: unknown): string {
  const accountInBody = fields.optionalText(body, "account");
  if (access === undefined) return account ?? accountInBody ?? "";
  const found =
    accountInBody ?? (access.accounts.length === 1 ? access.accounts[0] : undefined) ?? fields.missing("account");
  if (access.accounts.includes(found)) return found;
  throw new Failure("unknown_url", `There is no account ${JSON.stringify(found.slice(0, 100))}.`);
}

function checkFilter(query: URLSearchParams): void {
  const [kind, state, limit] = ["kind", "state", "limit"].map((name) => query.get(name));
  const kinds = Alert.properties.kind.enum;
  if (kind != null && !kinds.some((known) => known === kind))
    throw invalidField("kind", `must be one of ${kinds.join(", ")}`);
  if (state != null && state !== "dead") throw invalidField("state", "must be dead");
  if (limit != null && !/^[1-9]\d{0,3}$/.test(limit))
    throw invalidField("limit", "must be a whole number of 1 or more");
}
