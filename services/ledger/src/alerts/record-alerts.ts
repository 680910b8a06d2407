import { listDivergences, type Token } from "@modelgate/accounts";
import {
  readExpiringTokens,
  readOpenAlerts,
  readTokensWithRotation,
  type BookedToken,
  type Books,
  type NewAlert,
} from "@modelgate/books";
import { parseCooldownName, readChannelStates, readShortCooldowns, type Cooldown } from "@modelgate/channels";
import { UnknownShape } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { publicTokenOf } from "../accounts/write-to-redis.ts";
import { commonTables } from "../api/verify-common.ts";
import type { AlertRecorder } from "./alert-recorder.ts";
import {
  divergenceAlert,
  keyExpiryAlert,
  keyExpiryMs,
  keyRotationAlert,
  recoveryAlert,
  cooldownAlert,
  unstableAlert,
} from "./rules.ts";

/** Dependencies of the functions that store alerts. */
export interface AlertStepDeps {
  readonly redis: Redis;
  readonly recorder: AlertRecorder;
}

const maxExpiringTokens = 1_000;

/** Stores alerts about channels, keys and models that are in cooldown or unstable, and about the end of cooldowns. */
export async function recordChannelAlerts(books: Books, { redis, recorder }: AlertStepDeps): Promise<void> {
  const { cooldowns, accountCooldowns } = await readChannelStates(redis);
  const inCooldown = new Map([...keyRefusals(accountCooldowns), ...cooldowns]);
  const openAlerts = await readOpenAlerts(books, ["key-refused", "channel-cooldown"]);
  const now = Date.now();
  const found = [
    ...[...inCooldown].map(([scope, cooldown]) => cooldownAlert(scope, cooldown, now)),
    ...[...(await readShortCooldowns(redis, now))].map(([scope, count]) => unstableAlert(scope, count, now)),
  ].filter((alert) => alert !== undefined);
  // An open alert is not recorded again. The recorder would remember it, and ignore another cooldown in this hour.
  const isOpen = (alert: NewAlert): boolean =>
    openAlerts.some(({ kind, subject }) => kind === alert.kind && subject === alert.subject);
  await recorder.record(
    books,
    found.filter((alert) => !isOpen(alert)),
  );
  for (const alert of openAlerts)
    if (!inCooldown.has(alert.subject)) await recorder.end(books, alert, recoveryAlert(alert));
}

/**
 * Returns the vendor keys that were refused in calls of one account. Other accounts may still use them, but an operator
 * must know.
 */
function keyRefusals(accountCooldowns: ReadonlyMap<string, Cooldown>): ReadonlyMap<string, Cooldown> {
  const refusals = [...accountCooldowns].filter(([, { kind }]) => kind === "refused");
  return new Map(refusals.map(([name, cooldown]) => [parseCooldownName(name).scope, cooldown]));
}

/** Stores alerts about failed verifications. */
export async function recordDivergenceAlerts(books: Books, { redis, recorder }: AlertStepDeps): Promise<void> {
  const now = Date.now();
  const diverging = await listDivergences(redis);
  await recorder.record(
    books,
    diverging.map((account) => divergenceAlert(account, account !== commonTables, now)),
  );
}

/** Stores alerts about API keys that expire soon or are due for rotation. */
export async function recordKeyAlerts(books: Books, { recorder }: AlertStepDeps): Promise<void> {
  const now = Date.now();
  const expiring = await readExpiringTokens(books, { from: now, to: now + keyExpiryMs, limit: maxExpiringTokens });
  await recorder.record(books, alertsOf(expiring, keyExpiryAlert, now));
  for await (const tokens of readTokensWithRotation(books))
    await recorder.record(books, alertsOf(tokens, keyRotationAlert, now));
}

type TokenRule = (token: Token, nowMs: number) => NewAlert | undefined;

/** Returns the alerts about tokens. Ignores tokens whose record cannot be read. */
function alertsOf(tokens: readonly BookedToken[], rule: TokenRule, nowMs: number): readonly NewAlert[] {
  return tokens.flatMap((token) => alertOf(token, rule, nowMs) ?? []);
}

function alertOf(token: BookedToken, rule: TokenRule, nowMs: number): NewAlert | undefined {
  try {
    return rule(publicTokenOf(token), nowMs);
  } catch (error) {
    if (error instanceof UnknownShape) return undefined;
    throw error;
  }
}
