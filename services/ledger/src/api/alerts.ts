import {
  bookAlertTarget,
  deleteAlertTarget,
  findAlertTarget,
  readAlerts,
  readAlertTargets,
  retryDeliveries,
} from "@modelgate/books";
import { Alert, AlertTarget, Failure, recordParser, UnknownShape } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { AlertSender } from "../alerts/send.ts";
import type { BooksConnection } from "../books-connection.ts";
import { fieldReaders } from "./body.ts";
import { accountsIn } from "./filter.ts";

const maxAlerts = 200;

const readTarget = recordParser("alert target", AlertTarget);

/** Dependencies of the routes of alerts. */
export interface AlertApiDeps {
  readonly connection: BooksConnection;
  readonly sender: AlertSender;
}

/** Routes of alerts and their targets. Control has encrypted the secret parts of targets. */
export function alertRoutes({ connection, sender }: AlertApiDeps): OperatorRoutes {
  const use: BooksConnection["useDuringMove"] = (step) => connection.useDuringMove(step);
  return {
    "GET /alerts": async ({ query }) => {
      const before = query.get("before") ?? undefined;
      const [accounts, targetsOf] = [accountsIn(query, "account"), accountsIn(query, "targets-of")];
      const limit = Math.min(Number(query.get("limit") ?? maxAlerts) || maxAlerts, maxAlerts);
      const filter = { accounts, before, targetsOf, limit, isDead: query.get("state") === "dead", kind: kindIn(query) };
      return use((books) => readAlerts(books, filter));
    },
    "POST /alerts/{id}/retry": async ({ params: { id = "" }, query }) => {
      const targetsOf = accountsIn(query, "targets-of");
      const retry = { alert: id, targetsOf, nowMs: Date.now() };
      return { retried: await use((books) => retryDeliveries(books, retry)) };
    },
    "GET /alert-targets": async ({ query }) => {
      const accounts = accountsIn(query, "account");
      return use((books) => readAlertTargets(books, accounts));
    },
    "POST /alert-targets": async ({ body, actor }) => {
      const target = targetIn(fieldReaders.object(body, "target"));
      const sealed = fieldReaders.text(body, "sealed");
      await use((books) => bookAlertTarget(books, { target, sealed }, actor));
      return target;
    },
    "POST /alert-targets/{id}/delete": async ({ params: { id = "" }, actor }) =>
      (await use((books) => deleteAlertTarget(books, id, actor))) ? {} : throwNoTarget(id),
    "POST /alert-targets/{id}/test": async ({ params: { id = "" } }) => {
      const found = (await use((books) => findAlertTarget(books, id))) ?? throwNoTarget(id);
      const error = await sender.send(found, makeTestAlert(found.target), new AbortController().signal);
      return { delivered: error === undefined, error: error ?? "" };
    },
  };
}

function makeTestAlert({ id, account, name }: AlertTarget): Alert {
  const time = new Date().toISOString();
  const summary = `This is a test of the alert target ${name}.`;
  return {
    id: `test_${id}`,
    kind: "test",
    severity: "info",
    account,
    subject: id,
    period: time,
    summary,
    time,
    details: {},
  };
}

function targetIn(value: object): AlertTarget {
  try {
    return readTarget(JSON.stringify(value));
  } catch (error) {
    if (error instanceof UnknownShape)
      throw new Failure("invalid_value", "target must be an alert target.", { param: "target" });
    throw error;
  }
}

function kindIn(query: URLSearchParams): Alert["kind"] | undefined {
  const kind = query.get("kind");
  return Alert.properties.kind.enum.find((known) => known === kind);
}

function throwNoTarget(id: string): never {
  throw new Failure("unknown_url", `There is no alert target ${JSON.stringify(id.slice(0, 100))}.`);
}
