import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { startLocalBackends, startSuite, type LocalBackends, type Suite } from "@modelgate/testkit";
import { areas } from "../chaos/areas.ts";
import { channelOf, quickVideo, smallSessions } from "../chaos/setup.ts";
import { modelOf } from "../chaos/area.ts";
import type { Attack, AttackAccount, AttackModel } from "./attack.ts";
import { Canaries } from "./canaries.ts";
import { EventLoops, watchedServices, type WatchedService } from "./loops.ts";
import { startInternalServer, type InternalServer } from "./internal-server.ts";
import { startHostileVendors, type HostileVendors } from "./vendor.ts";

/** The attacked suite, its vendors, and objects that check it. */
export interface AttackSetup extends AsyncDisposable {
  readonly suite: Suite<LocalBackends>;
  readonly vendors: HostileVendors;
  readonly internalServer: InternalServer;
  readonly redis: Redis;
  readonly canaries: Canaries;
  readonly loops: EventLoops;
  readonly booksFile: string;
}

/** Role of an account. `other` is another tenant, and `bystander` calls during the attack. */
export type Role = "attacker" | "other" | "bystander" | `extra-${number}`;

export function rolesOf({ extraAccounts = 0 }: Attack): readonly Role[] {
  return [
    "attacker",
    "other",
    "bystander",
    ...Array.from({ length: extraAccounts }, (_, at) => `extra-${at}` as const),
  ];
}

/** Returns the account of a role, whose id and key contain the role. */
export function accountOfRole({ id }: Attack, role: Role): AttackAccount {
  return { accountId: `${id}-${role}`, key: `sk-attack-0123456789-${id}-${role}` };
}

/** Text with which every key of a channel begins. It must not leak. */
const vendorKey = "vendorKeyOfTheOperator";
/** Balances in US dollars. */
const [attackersBalance, othersBalance] = ["100.00", "100.00"];
/** Maximum silence of a hostile vendor, in ms. */
const timeoutMs = 2_000;

/** Starts the suite, the hostile vendors, and the measurements of these services' event loops. */
export async function openAttackSetup(
  attacks: readonly Attack[],
  measured: readonly WatchedService[] = watchedServices,
): Promise<AttackSetup> {
  await using opening = new AsyncDisposableStack();
  const vendors = opening.use(await startHostileVendors());
  const internalServer = opening.use(await startInternalServer());
  const loops = opening.use(new EventLoops(measured));
  // Before the suite starts, because it then requests the vendors' model lists.
  for (const attack of attacks) scriptVendors(attack, vendors);
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
  redis.on("error", () => undefined);
  opening.defer(() => redis.disconnect());
  const keys = attacks.map((attack) => [`the key of ${attack.id}'s other account`, accountOfRole(attack, "other").key]);
  const canaries = new Canaries({
    "a vendor's key": vendorKey,
    "the suite's secret": suite.secret,
    ...Object.fromEntries(keys),
  });
  const open = opening.move();
  return {
    suite,
    vendors,
    internalServer,
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
        attacks.flatMap(({ id, models = [] }) =>
          models.map(({ name, kind, price }) => [`${id}-${name}`, { kind, price }]),
        ),
      ),
    },
    channels: [
      ...honest.map((each) => channelOf(each, { channelName: "main", channelCounts: ["lone"] })),
      ...attacks.flatMap((attack) => channelsOf(attack, vendors)),
    ],
    accounts: Object.fromEntries(attacks.flatMap(accountsOf)),
  };
}

function channelsOf({ id, models = [] }: Attack, vendors: HostileVendors): readonly object[] {
  return models
    .filter(({ channelOf: shared }) => shared === undefined)
    .map((model) => {
      const name = `${id}-${model.name}`;
      const served = [model, ...models.filter((each) => each.channelOf === model.name)];
      return {
        id: name,
        provider: model.provider,
        baseUrl: `${originOf(model, name, vendors)}/${model.path}`,
        keys: [model.key ?? `${vendorKey}-${name}`],
        models: model.listed === true ? "*" : served.map((each) => `${id}-${each.name}`),
        timeoutMs: model.timeoutMs ?? timeoutMs,
      };
    });
}

function originOf(model: AttackModel, name: string, { url, rawUrl }: HostileVendors): string {
  if (model.raw !== undefined) return `${rawUrl}/${name}`;
  return model.answers === undefined && model.socket === undefined ? `\${SIMULATOR_URL}/at/${name}` : `${url}/${name}`;
}

function accountsOf(attack: Attack): readonly (readonly [string, object])[] {
  return rolesOf(attack).map((role) => {
    const { accountId, key } = accountOfRole(attack, role);
    const balance = role === "other" || role === "bystander" ? othersBalance : (attack.balance ?? attackersBalance);
    return [accountId, { balance, tokens: [{ key, group: "default" }] }];
  });
}

function scriptVendors({ id, models = [] }: Attack, vendors: HostileVendors): void {
  for (const { name, answers, raw, socket } of models) {
    if (answers !== undefined) vendors.answer(`${id}-${name}`, answers);
    if (raw !== undefined) vendors.answerRaw(`${id}-${name}`, raw);
    if (socket !== undefined) vendors.answerSocket(`${id}-${name}`, socket);
  }
}
