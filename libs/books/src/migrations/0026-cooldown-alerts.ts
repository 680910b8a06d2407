import { sql, type Kysely } from "kysely";

/** Renames the kind of alerts about cooldowns, which earlier versions called `channel-resting`. */
async function up(db: Kysely<unknown>): Promise<void> {
  const [before, after] = [sql.lit("channel-resting"), sql.lit("channel-cooldown")];
  await sql`update alerts set kind = ${after} where kind = ${before}`.execute(db);
  // The period of the alert about the end contains the kind.
  await sql`update alerts set period = replace(period, ${before}, ${after}) where kind = 'channel-recovered'`.execute(
    db,
  );
  await sql`update alert_targets set record = replace(record, '"channel-resting"', '"channel-cooldown"')`.execute(db);
}

export const cooldownAlerts = { up };
