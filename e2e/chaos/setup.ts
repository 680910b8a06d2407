import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openSlowProxy,
  startLocalBackends,
  startLocalPostgres,
  startSuite,
  type LocalBackends,
  type Shape,
  type SuiteOptions,
} from "@modelgate/testkit";
import { modelOf, type Vendor, type ChannelCount } from "./area.ts";
import { areas } from "./areas.ts";
import type { Engine, ChaosSetup } from "./faults.ts";

export interface ClientAccount {
  readonly accountId: string;
  readonly key: string;
}

/** Maximum silence of a vendor, in ms. */
const timeoutMs = 2_000;
/** Limits with which videos are polled often. */
export const quickVideo = {
  pace: { firstMs: 50, longestMs: 200 },
  tasks: { roundMs: 50, leaseMs: 1_500, pollTimeoutMs: 1_000 },
};
/** Limits with which a session reserves little. */
export const smallSessions = { slice: { audioSeconds: 0, textTokens: 100 } };
/** Short times, so that all calls end soon after a fault. */
const limits = {
  relay: { limits: { leaseMs: 2_000 }, channelLeaseMs: 1_500 },
  edge: { seatLeaseMs: 1_500 },
  media: { images: { taskWaitMs: 4_000 } },
  // `afterOutageMs` is longer than the pause between two settlement attempts.
  ledger: {
    rounds: { afterOutageMs: 6_000 },
    // `redeliverAfterMs` is longer than the delay of a slow NATS.
    bus: { limits: { redeliverAfterMs: 4_000 } },
  },
  video: quickVideo,
  realtime: { ...smallSessions, sessions: { idleMs: 3_000, lastUsageMs: 1_000, firstEventMs: 2_000 } },
};

/** Options of a suite for faults. */
export type ChaosOptions = { readonly engine: Engine } & Pick<
  SuiteOptions<LocalBackends>,
  "config" | "env" | "envOf" | "limits" | "services" | "shape"
>;

/** Creates options for all areas. Each vendor has two channels. */
export function allAreas(clientAccounts: readonly ClientAccount[], engine: Engine, shape: Shape): ChaosOptions {
  const vendors = areas.flatMap((area) => area.vendors);
  const models = vendors.flatMap((vendor) =>
    (["two", "lone"] as const).map((channelCount) => [
      modelOf(vendor, channelCount),
      { kind: vendor.kind, price: vendor.price },
    ]),
  );
  return {
    engine,
    shape,
    services: "all",
    limits,
    // A task may live longer than the restart of a process takes on a busy machine.
    envOf: { video: { TASK_LIFETIME_MS: "30000" } },
    config: {
      groups: { default: { models: ["*"], limits: { concurrency: 100 } } },
      models: Object.fromEntries(models),
      channels: vendors.flatMap((vendor) => [
        channelOf(vendor, { channelName: "main", channelCounts: ["two", "lone"], priority: 1 }),
        channelOf(vendor, { channelName: "spare", channelCounts: ["two"] }),
      ]),
      accounts: accountsOf(clientAccounts),
    },
  };
}

/** Starts a suite with proxies before Redis and NATS, and with separate books. */
export async function openChaosSetup({
  engine,
  envOf,
  ...options
}: ChaosOptions): Promise<ChaosSetup & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "modelgate-chaos-"));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = engine === "postgres" ? opening.use(await startLocalPostgres()) : undefined;
  const backends = await startLocalBackends();
  const redisPort = Number(new URL(backends.redisUrl).port);
  const redisProxy = opening.use(await openSlowProxy(redisPort));
  const natsProxy = opening.use(await openSlowProxy(Number(new URL(backends.natsUrl).port)));
  const ledgerNatsProxy = opening.use(await openSlowProxy(natsProxy.port));
  const suite = opening.use(
    await startSuite({
      ...options,
      backends: {
        ...backends,
        redisUrl: `redis://127.0.0.1:${redisProxy.port}`,
        natsUrl: `nats://127.0.0.1:${natsProxy.port}`,
      },
      env: { LOG_LEVEL: "error", ...options.env },
      envOf: {
        ...envOf,
        ledger: {
          ...(postgres === undefined ? { MODELGATE_DATA: folder } : { BOOKS_URL: postgres.url }),
          NATS_URL: `nats://127.0.0.1:${ledgerNatsProxy.port}`,
          ...envOf?.ledger,
        },
      },
    }),
  );
  const resources = opening.move();
  return {
    suite,
    redisPort,
    redisProxy,
    natsProxy,
    ledgerNatsProxy,
    books: postgres === undefined ? { file: join(folder, "books.sqlite") } : { server: postgres.server },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Creates accounts in the configuration's format. */
export function accountsOf(clientAccounts: readonly ClientAccount[], balance = "100.00"): object {
  return Object.fromEntries(
    clientAccounts.map(({ accountId, key }) => [accountId, { balance, tokens: [{ key, group: "default" }] }]),
  );
}

/** Creates a channel to one instance of a vendor. */
export function channelOf(
  vendor: Vendor,
  {
    channelName,
    channelCounts,
    priority = 0,
  }: { channelName: string; channelCounts: readonly ChannelCount[]; priority?: number },
): object {
  const { name, provider, path, upstreamModel, key } = vendor;
  return {
    id: `${name}-${channelName}`,
    provider,
    baseUrl: `\${SIMULATOR_URL}/at/${name}-${channelName}/${path}`,
    keys: [key ?? `key-of-${name}-${channelName}`],
    models: Object.fromEntries(channelCounts.map((each) => [modelOf(vendor, each), upstreamModel])),
    priority,
    timeoutMs,
  };
}
