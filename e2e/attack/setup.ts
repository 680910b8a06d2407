import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { startLocalBackends, startSuite, type LocalBackends, type Suite } from "@modelgate/testkit";
import { areas } from "../chaos/areas.ts";
import { channelOf, quickVideo, smallSessions } from "../chaos/setup.ts";
import { modelOf } from "../chaos/area.ts";
import type { Attack, Payer, Way } from "./attack.ts";
import { Canaries } from "./canaries.ts";
import { Loops, watchedServices } from "./loops.ts";
import { startInside, type Inside } from "./inside.ts";
import { startHostileVendors, type HostileVendors } from "./vendor.ts";

/** The attacked suite, with the hostile vendors and the checks of an attack. */
export interface AttackSetup extends AsyncDisposable {
  readonly suite: Suite<LocalBackends>;
  readonly vendors: HostileVendors;
  readonly inside: Inside;
  readonly redis: Redis;
  readonly canaries: Canaries;
  readonly loops: Loops;
  /** The SQLite file of the ledger's books. */
  readonly booksFile: string;
}

/**
 * Role in an attack: the attacker with further accounts, another tenant, and an account that calls at the same time.
 */
export type Part = "attacker" | "other" | "bystander" | `payer-${number}`;

/** Returns the roles of an attack. */
export function partsOf({ payers = 0 }: Attack): readonly Part[] {
  return ["attacker", "other", "bystander", ...Array.from({ length: payers }, (_, at) => `payer-${at}` as const)];
}

/** Returns the account of a role. */
export function payerOf({ id }: Attack, part: Part): Payer {
  return { accountId: `${id}-${part}`, key: `sk-attack-0123456789-${id}-${part}` };
}

/** Prefix of every key that a channel sends to its vendor. */
const vendorKey = "vendorKeyOfTheOperator";
/** Balances of the attacker and of all others, in US dollars. */
const [attackersBalance, othersBalance] = ["100.00", "100.00"];
/** Maximum silence of a hostile vendor, in ms; short, so that an attack ends soon. */
const timeoutMs = 2_000;

/** Starts the suite, the hostile vendors and the monitoring. */
export async function openAttackSetup(attacks: readonly Attack[]): Promise<AttackSetup> {
  await using opening = new AsyncDisposableStack();
  const vendors = opening.use(await startHostileVendors());
  const inside = opening.use(await startInside());
  const loops = opening.use(new Loops());
  // Before the suite starts, because it then requests the vendors' model lists.
  for (const attack of attacks) script(attack, vendors);
  const folder = mkdtempSync(join(tmpdir(), "modelgate-attack-"));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  const suite = opening.use(
    await startSuite({
      shape: "apart",
      backends: await startLocalBackends(),
      services: "all",
      env: { LOG_LEVEL: "info", MODELGATE_DATA: folder },
      envOf: Object.fromEntries(
        watchedServices.map((name) => [
          name,
          { ...(name === "video" ? { TASK_LIFETIME_MS: "8000" } : {}), ...loops.env(name) },
        ]),
      ),
      limits: { video: quickVideo, realtime: smallSessions },
      config: configurationOf(attacks, vendors),
    }),
  );
  const redis = new Redis(suite.backends.redisUrl, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined); // failures of Redis show in the rows of the attacks
  opening.defer(() => redis.disconnect());
  const keys = attacks.map((attack) => [`the key of ${attack.id}'s other account`, payerOf(attack, "other").key]);
  const canaries = new Canaries({
    "a vendor's key": vendorKey,
    "the suite's secret": suite.secret,
    ...Object.fromEntries(keys),
  });
  const open = opening.move();
  return {
    suite,
    vendors,
    inside,
    redis,
    canaries,
    loops,
    booksFile: join(folder, "books.sqlite"),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function configurationOf(attacks: readonly Attack[], vendors: HostileVendors): object {
  const honest = areas.flatMap((area) => area.vendors);
  return {
    groups: { default: { models: ["*"], limits: { concurrency: 2_000 } } },
    models: {
      ...Object.fromEntries(honest.map((each) => [modelOf(each, "lone"), { kind: each.kind, price: each.price }])),
      ...Object.fromEntries(
        attacks.flatMap(({ id, ways = [] }) => ways.map(({ name, kind, price }) => [`${id}-${name}`, { kind, price }])),
      ),
    },
    channels: [
      ...honest.map((each) => channelOf(each, { way: "main", ways: ["lone"] })),
      ...attacks.flatMap((attack) => channelsOf(attack, vendors)),
    ],
    accounts: Object.fromEntries(attacks.flatMap(accountsOf)),
  };
}

function channelsOf({ id, ways = [] }: Attack, vendors: HostileVendors): readonly object[] {
  return ways
    .filter(({ channelOf: shared }) => shared === undefined)
    .map((way) => {
      const name = `${id}-${way.name}`;
      const models = [way, ...ways.filter((each) => each.channelOf === way.name)].map((each) => `${id}-${each.name}`);
      return {
        id: name,
        provider: way.provider,
        baseUrl: `${originOf(way, name, vendors)}/${way.path}`,
        keys: [way.key ?? `${vendorKey}-${name}`],
        models: way.listed === true ? "*" : models,
        timeoutMs: way.timeoutMs ?? timeoutMs,
      };
    });
}

function originOf(way: Way, name: string, { url, rawUrl }: HostileVendors): string {
  if (way.raw !== undefined) return `${rawUrl}/${name}`;
  return way.answers === undefined && way.socket === undefined ? `\${SIMULATOR_URL}/at/${name}` : `${url}/${name}`;
}

function accountsOf(attack: Attack): readonly (readonly [string, object])[] {
  return partsOf(attack).map((part) => {
    const { accountId, key } = payerOf(attack, part);
    const balance = part === "other" || part === "bystander" ? othersBalance : (attack.balance ?? attackersBalance);
    return [accountId, { balance, tokens: [{ key, group: "default" }] }];
  });
}

/** Sets the answers of an attack's vendors. */
function script({ id, ways = [] }: Attack, vendors: HostileVendors): void {
  for (const { name, answers, raw, socket } of ways) {
    if (answers !== undefined) vendors.answer(`${id}-${name}`, answers);
    if (raw !== undefined) vendors.answerRaw(`${id}-${name}`, raw);
    if (socket !== undefined) vendors.answerSocket(`${id}-${name}`, socket);
  }
}
