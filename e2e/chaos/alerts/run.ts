import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { alertNames, shortenRules } from "./shortened-rules.ts";
import { openAlertSetup, scrapedServices, type AlertSetup } from "./setup.ts";
import { startPrometheus, type Prometheus } from "./prometheus.ts";
import { today } from "../table.ts";
import { provocations, untestableAlerts, type Provocation } from "./provocations.ts";

/** Result of a provoked alert. */
export interface AlertRow {
  readonly alert: string;
  readonly by: string;
  /**
   * Time in ms from the begin of its condition until the alert fired, and from the end of the condition until the alert
   * ended. Undefined if it did not happen in time.
   */
  readonly firedMs: number | undefined;
  readonly endedMs: number | undefined;
}

/** Maximum ms until an alert fires or ends. */
const withinMs = 90_000;
const pollMs = 100;
/**
 * Time of low spending, in ms. The rule compares with the spending of the hour before, which lasts 30 s in the
 * shortened rules.
 */
const lowSpendMs = 65_000;

const rulesFile = join(import.meta.dirname, "../../../deploy/monitoring/rules.yaml");

/**
 * Provokes the alerts whose names contain `only`, with the real metrics of the services. Returns undefined without a
 * Prometheus.
 */
export async function provokeAlerts(
  program: string | undefined,
  only: string | undefined,
  onRow: (row: AlertRow) => void,
): Promise<readonly AlertRow[] | undefined> {
  if (program === undefined || program === "none") return undefined;
  const text = readFileSync(rulesFile, "utf8");
  const chosen = provocations.filter(({ alert }) => only === undefined || alert.includes(only));
  await using setup = await openAlertSetup();
  const opsUrls = Object.fromEntries(scrapedServices.map((name) => [name, setup.suite.opsUrl(name)]));
  await using prometheus = await startPrometheus(program, shortenRules(text), opsUrls);
  await spendLittle(setup, chosen);
  const rows: AlertRow[] = [];
  for (const provocation of chosen) {
    const row = await provoke(provocation, setup, prometheus);
    onRow(row);
    rows.push(row);
  }
  return rows;
}

/** Returns the alerts that are neither tested nor in `untestableAlerts`. */
export function untestedAlerts(): readonly string[] {
  const known = new Set([...provocations.map(({ alert }) => alert), ...Object.keys(untestableAlerts)]);
  return alertNames(readFileSync(rulesFile, "utf8")).filter((name) => !known.has(name));
}

/** Makes one cheap call; for the alert ModelgateSpendRate, enough of them to show a low rate first. */
async function spendLittle({ ask }: AlertSetup, chosen: readonly Provocation[]): Promise<void> {
  const calls = chosen.some(({ alert }) => alert === "ModelgateSpendRate") ? lowSpendMs / 250 : 1;
  for (let call = 0; call < calls; call++) {
    await ask("plain");
    await pause(250);
  }
}

async function provoke(
  { alert, by, begin }: Provocation,
  setup: AlertSetup,
  prometheus: Prometheus,
): Promise<AlertRow> {
  const fires = async (): Promise<boolean> => (await prometheus.readFiring()).has(alert);
  // The alert may still fire because of the start or an earlier condition.
  await waitFor(async () => !(await fires()));
  const from = performance.now();
  const end = await begin(setup);
  const firedMs = (await waitFor(fires)) ? performance.now() - from : undefined;
  await end?.();
  const ended = performance.now();
  const hasEnded = await waitFor(async () => !(await fires()));
  return { alert, by, firedMs, endedMs: hasEnded ? performance.now() - ended : undefined };
}

async function waitFor(holds: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + withinMs; performance.now() < end;) {
    if (await holds()) return true;
    await pause(pollMs);
  }
  return false;
}

/** Head of the table of alerts. */
export const alertsHead = ["alert", "provoked by", "fired after", "ended after", "seen on"] as const;

/** Returns the cells of an alert in that table. */
export function alertCells({ alert, by, firedMs, endedMs }: AlertRow): readonly string[] {
  const shown = (ms: number | undefined): string => (ms === undefined ? "**never**" : `${(ms / 1_000).toFixed(1)} s`);
  return [alert, by, shown(firedMs), shown(endedMs), today()];
}
