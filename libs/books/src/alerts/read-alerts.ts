import { sql } from "kysely";
import type { Alert, AlertDelivery } from "@modelgate/contracts";
import type { Books } from "../open.ts";
import { targetFromRow } from "./alert-targets.ts";
import { alertFromRow } from "./alerts.ts";

export interface DeliveredAlert extends Alert {
  readonly deliveries: readonly AlertDelivery[];
}

/** Filter of alerts. Absent members do not filter. */
export interface AlertFilter {
  /** Only alerts about one of these accounts. */
  readonly accounts?: readonly string[] | undefined;
  readonly kind?: Alert["kind"] | undefined;
  /** True: only alerts with a delivery that failed for good. */
  readonly isDead?: boolean | undefined;
  /** Accounts whose targets' deliveries are included; undefined: all. */
  readonly targetsOf?: readonly string[] | undefined;
  readonly limit: number;
  /** Id of an alert. Only older ones are read. */
  readonly before?: string | undefined;
}

/** Reads alerts with their deliveries, newest first. */
export async function readAlerts(books: Books, filter: AlertFilter): Promise<readonly DeliveredAlert[]> {
  const { accounts, kind, isDead, targetsOf, limit, before } = filter;
  let query = books.db.selectFrom("alerts").selectAll();
  if (accounts !== undefined) query = query.where("account", "in", accounts);
  if (kind !== undefined) query = query.where("kind", "=", kind);
  if (before !== undefined)
    query = query.where(sql<boolean>`(at, id) < (select b.at, b.id from alerts as b where b.id = ${before})`);
  if (isDead === true) {
    const ofTargets =
      targetsOf === undefined
        ? sql``
        : sql`and d.target in (select t.id from alert_targets as t where t.account in (${sql.join(targetsOf)}))`;
    query = query.where(
      sql<boolean>`exists (select 1 from alert_deliveries as d where d.alert = alerts.id and d.state = 'dead' ${ofTargets})`,
    );
  }
  const rows = await query.orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
  const deliveries = await readDeliveries(
    books,
    rows.map(({ id }) => id),
    targetsOf,
  );
  return rows.map((row) => ({ ...alertFromRow(row), deliveries: deliveries.get(row.id) ?? [] }));
}

async function readDeliveries(
  { db }: Books,
  alerts: readonly string[],
  targetsOf: readonly string[] | undefined,
): Promise<ReadonlyMap<string, readonly AlertDelivery[]>> {
  if (alerts.length === 0) return new Map();
  let query = db
    .selectFrom("alert_deliveries as d")
    .innerJoin("alert_targets as t", "t.id", "d.target")
    .select(["d.alert", "d.target", "d.state", "d.tries", "d.next", "d.error", "t.record"])
    .where("d.alert", "in", alerts);
  if (targetsOf !== undefined) query = query.where("t.account", "in", targetsOf);
  const rows = await query.orderBy("t.at").execute();
  const byAlert = new Map<string, AlertDelivery[]>();
  for (const { alert, target, state, tries, next, error, record } of rows) {
    const nextAt = state === "pending" ? new Date(next).toISOString() : null;
    const list = byAlert.get(alert) ?? [];
    byAlert.set(alert, [...list, { target, name: targetFromRow({ record }).name, state, tries, nextAt, error }]);
  }
  return byAlert;
}
