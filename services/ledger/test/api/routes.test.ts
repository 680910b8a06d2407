import { expect, test } from "vitest";
import type { OperatorCall, OperatorRoutes } from "@modelgate/platform";
import { StreamedAnswer } from "@modelgate/platform";
import { callRoutes } from "../../src/api/calls.ts";
import { operatorRoutes } from "../../src/api/operators.ts";
import { organisationRoutes } from "../../src/api/organisations.ts";
import { refusedRoutes } from "../../src/api/refused.ts";
import { reportRoutes } from "../../src/api/reports.ts";
import { totalsRoutes } from "../../src/api/totals.ts";
import type { BooksConnection } from "../../src/books-connection.ts";

/** Returns a connection whose steps are not run and return this value. */
function connectionTo(value: unknown) {
  let steps = 0;
  const use = async (): Promise<never> => {
    steps++;
    return value as never;
  };
  const connection: BooksConnection = {
    use,
    useDuringMove: use,
    setMoving: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { connection, steps: () => steps };
}

function run(routes: OperatorRoutes, route: string, call: Partial<OperatorCall>): Promise<unknown> {
  const all: OperatorCall = {
    operator: { name: "ada", role: "admin" },
    actor: "ada",
    headers: {},
    address: "",
    params: {},
    query: new URLSearchParams(),
    body: {},
    ...call,
  };
  return routes[route]?.(all) ?? expect.unreachable(route);
}

const focus = (connection: BooksConnection, period: string) =>
  run(callRoutes(connection), "GET /usage/export", { query: new URLSearchParams(`format=focus&${period}`) });

test("a FOCUS export yields a piece for each day, so that it ends with its client", async () => {
  const { connection, steps } = connectionTo([]);
  const answer = await focus(connection, "from=2026-01-01&to=2026-12-31");
  const pieces = answer instanceof StreamedAnswer ? answer.pieces[Symbol.asyncIterator]() : expect.unreachable();
  expect((await pieces.next()).value).toMatch(/^[A-Z].*\r\n$/);
  expect(steps()).toBe(0);
  for (let day = 1; day <= 365; day++) {
    expect((await pieces.next()).value).toBe("");
    expect(steps()).toBe(day);
  }
  expect((await pieces.next()).done).toBe(true);
});

test("a FOCUS export of more than 400 days is refused", async () => {
  const { connection } = connectionTo([]);
  await expect(focus(connection, "from=2025-01-01&to=2026-02-04")).resolves.toBeInstanceOf(StreamedAnswer);
  for (const period of ["from=2025-01-01&to=2026-02-05", "from=0000-01-01&to=9999-12-31"])
    await expect(focus(connection, period)).rejects.toMatchObject({ code: "invalid_value", param: "from" });
});

const routesOf = (connection: BooksConnection) => organisationRoutes(connection, () => expect.unreachable());

const change = (found: string, membership: object) => {
  const { connection, steps } = connectionTo(found);
  const body = { person: "mia", membership: { team: "search", ...membership } };
  const answer = run(routesOf(connection), "POST /organisations/{id}/members", {
    params: { id: "acme" },
    body,
  });
  return { answer, steps };
};

test.each(["Admin", "", undefined, 1])("a membership with the role %j is neither changed nor ended", async (role) => {
  const { answer, steps } = change("changed", { role });
  await expect(answer).rejects.toMatchObject({ code: "invalid_value", param: "role" });
  expect(steps()).toBe(0);
});

test("a membership is set or removed; an unknown team and the last admin are refused", async () => {
  for (const role of ["admin", "member", null]) expect(await change("changed", { role }).answer).toEqual({});
  await expect(change("no-team", { role: "admin" }).answer).rejects.toMatchObject({ param: "team" });
  await expect(change("last-admin", { role: null }).answer).rejects.toMatchObject({ code: "permission_denied" });
});

test.each([
  ["organisation", "POST /organisations"],
  ["team", "POST /organisations/{id}/teams"],
])("the id of a deleted %s is refused with a message for people", async (kind, route) => {
  const create = run(routesOf(connectionTo("used").connection), route, {
    params: { id: "acme" },
    body: { id: "ops", name: "Operations", account: "wallet" },
  });
  const message = `The id ops was used by a deleted ${kind}. Choose another id.`;
  await expect(create).rejects.toMatchObject({ message, param: "id", status: 409 });
});

test("vendors' messages, and the names of members that channels added, are hidden from members of accounts", async () => {
  const attempt = { channel: "a", key: "k", ms: 1, vendorMessage: "no", added: ["headers.x-tenant"] };
  const { connection } = connectionTo({ events: [{ id: "c", tries: [attempt] }] });
  const tries = async (words: string) =>
    run(callRoutes(connection), "GET /usage/events", { query: new URLSearchParams(words) });
  expect(await tries("")).toMatchObject({ events: [{ tries: [attempt] }] });
  const shown = { channel: "a", key: "k", ms: 1 };
  expect(await tries("hide=vendor-words")).toEqual({ events: [{ id: "c", tries: [shown] }], next: null });
});

test("calls of a team need an account or an organisation", async () => {
  const { connection } = connectionTo({ events: [] });
  const all = [callRoutes, totalsRoutes, refusedRoutes, reportRoutes].map((routes) => routes(connection));
  const routes: OperatorRoutes = Object.assign({}, ...all);
  expect(Object.keys(routes)).toHaveLength(6);
  for (const route of Object.keys(routes)) {
    const result = run(routes, route, { query: new URLSearchParams("team=search") });
    await expect(result, route).rejects.toMatchObject({ code: "missing_required_parameter", param: "organisation" });
  }
});

test("usage by team needs an account or an organisation, because teams of two organisations may have the same id", async () => {
  const { connection } = connectionTo([]);
  const usage = (words: string) => run(totalsRoutes(connection), "GET /usage", { query: new URLSearchParams(words) });
  await expect(usage("by=team")).rejects.toMatchObject({ param: "organisation" });
  await expect(usage("by=team,model")).rejects.toMatchObject({ param: "organisation" });
  for (const words of ["by=team&organisation=acme", "by=team&account=wallet", "by=account,team"])
    expect(await usage(words), words).toEqual([]);
});

const createOperator = (action: unknown) => {
  const { connection, steps } = connectionTo(true);
  const body = { name: "ada", record: {}, account: "", after: {}, action };
  return { answer: run(operatorRoutes(connection), "POST /operators", { body }), steps };
};

test.each(["operator.create", "operator.take-over", "sign-in-provider.set"])(
  "a change with the action %s is recorded, even if only a newer version has this action",
  async (action) => {
    await expect(createOperator(action).answer).resolves.toEqual({ created: true });
  },
);

test.each(["", "operator", "Operator.create", "operator.create ", "a.b.c", `a.${"b".repeat(63)}`, undefined, 1])(
  "a change with the action %j is refused",
  async (action) => {
    const { answer, steps } = createOperator(action);
    await expect(answer).rejects.toMatchObject({ code: "invalid_value", param: "action" });
    expect(steps()).toBe(0);
  },
);
