import { listDivergences } from "@modelgate/accounts";
import { readExpiringTokens, readOpenAlerts, type BookedToken, type Books, type NewAlert } from "@modelgate/books";
import { readChannelStates } from "@modelgate/channels";
import { UnknownShape } from "@modelgate/contracts";
import type { Redis } from "@modelgate/platform";
import { shownToken } from "../accounts/project.ts";
import { commonTables } from "../api/verify-common.ts";
import type { AlertRecorder } from "./alert-recorder.ts";
import { divergenceAlert, keyExpiryAlert, keyExpiryMs, recoveryAlert, restAlert } from "./rules.ts";

/** Dependencies of the steps that find conditions of alerts. */
export interface FindingDeps {
  readonly redis: Redis;
  readonly recorder: AlertRecorder;
}

/** Maximum expiring API keys for which alerts are stored in one step. */
const maxExpiring = 1_000;

/** Stores alerts about paused parts of channels, and about parts whose pause has ended. */
export async function findChannelAlerts(books: Books, { redis, recorder }: FindingDeps): Promise<void> {
  const { cooldowns } = await readChannelStates(redis);
  const now = Date.now();
  const alerts = [...cooldowns].flatMap(([scope, rest]) => restAlert(scope, rest, now) ?? []);
  await recorder.record(books, alerts);
  for (const open of await readOpenAlerts(books, ["key-refused", "channel-resting"]))
    if (!cooldowns.has(open.subject)) await recorder.end(books, open, recoveryAlert(open));
}

/** Stores alerts about accounts whose last verification found a divergence. */
export async function findDivergenceAlerts(books: Books, { redis, recorder }: FindingDeps): Promise<void> {
  const now = Date.now();
  const diverging = await listDivergences(redis);
  await recorder.record(
    books,
    diverging.map((account) => divergenceAlert(account, account !== commonTables, now)),
  );
}

/** Stores alerts about API keys that are about to expire. */
export async function findExpiryAlerts(books: Books, { recorder }: FindingDeps): Promise<void> {
  const now = Date.now();
  const expiring = await readExpiringTokens(books, { from: now, to: now + keyExpiryMs, limit: maxExpiring });
  const alerts = expiring.flatMap((token) => alertOfToken(token, now));
  await recorder.record(books, alerts);
}

/** Returns the alert about a token as a list, which is empty if none is due or if the token's record cannot be read. */
function alertOfToken(token: BookedToken, nowMs: number): readonly NewAlert[] {
  try {
    return [keyExpiryAlert(shownToken(token), nowMs) ?? []].flat();
  } catch (error) {
    if (error instanceof UnknownShape) return [];
    throw error;
  }
}
