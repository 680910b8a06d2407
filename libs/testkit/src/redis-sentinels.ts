import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis, startSentinel } from "@modelgate/deploy/local";
import { noFsync, type Backends } from "./backends.ts";
import { redisCommand } from "./redis-command.ts";
import { controlServer, type ServerControl } from "./server-control.ts";
import { until } from "./until.ts";

const master = "modelgate";
const redisCount = 3;
const sentinelCount = 3;
/** Silence in ms after which a Sentinel considers a primary down; longer than a pause of a busy machine. */
const deadAfterMs = 3_000;

export interface SentinelBackends extends Backends {
  readonly primary: ServerControl;
  /** Returns the port of the current primary, as the Sentinels report it. */
  primaryPort(): Promise<number>;
}

/** Starts a primary, two replicas and three Sentinels, configured as docs/operations/stores.md requires. */
export async function startSentinels(): Promise<SentinelBackends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-sentinels-"));
  const [natsPort = 0, ...ports] = await freePorts(1 + redisCount + sentinelCount);
  const redisPorts = ports.slice(0, redisCount);
  const sentinelPorts = ports.slice(redisCount);
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const nats = await startNats({ port: natsPort, folder: join(folder, "nats"), keep: false });
  starting.defer(() => nats.child.stop());

  const [first = 0] = redisPorts;
  const servers = await Promise.all(
    redisPorts.map(async (port, at) => {
      const server = await controlServer(() =>
        startRedis({
          port,
          folder: join(folder, `redis-${at}`),
          keep: true,
          more: [
            ...noFsync,
            "--min-replicas-to-write",
            "1",
            "--min-replicas-max-lag",
            "10",
            "--repl-diskless-sync-delay",
            "0",
            ...(port === first ? [] : ["--replicaof", `127.0.0.1 ${first}`]),
          ],
        }),
      );
      starting.defer(() => server.stop());
      return server;
    }),
  );
  const [primary] = servers;
  if (primary === undefined) throw new Error("no Redis was started");
  await until("the replicas to follow", async () =>
    (await redisCommand(first, "INFO replication")).includes(`min_slaves_good_slaves:${redisCount - 1}`),
  );
  for (const [at, port] of sentinelPorts.entries()) {
    const sentinel = await startSentinel({
      port,
      folder: join(folder, `sentinel-${at}`),
      keep: false,
      configuration: writeConfiguration(join(folder, `sentinel-${at}`), first),
    });
    starting.defer(() => sentinel.child.stop());
  }
  for (const port of sentinelPorts)
    await until("the Sentinels to know all servers", async () =>
      (await redisCommand(port, "INFO sentinel")).includes(`slaves=${redisCount - 1},sentinels=${sentinelCount}`),
    );
  const started = starting.move();
  return {
    redisUrl: sentinelPorts
      .map((port, at) => `redis+sentinel://127.0.0.1:${port}${at === 0 ? `/${master}` : ""}`)
      .join(),
    natsUrl: nats.url,
    how: "local servers",
    primary,
    async primaryPort() {
      const status = await redisCommand(sentinelPorts[0] ?? 0, "INFO sentinel");
      return Number(/address=[^:]*:(\d+)/.exec(status)?.[1]);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/**
 * Writes the configuration of a Sentinel, and returns its file. Each Sentinel needs a separate file, in which it also
 * stores its state.
 */
function writeConfiguration(folder: string, primaryPort: number): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "sentinel.conf");
  const lines = [
    `sentinel monitor ${master} 127.0.0.1 ${primaryPort} ${Math.floor(sentinelCount / 2) + 1}`,
    `sentinel down-after-milliseconds ${master} ${deadAfterMs}`,
    `sentinel failover-timeout ${master} 5000`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}
