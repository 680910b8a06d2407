import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis, startSentinel } from "@modelgate/deploy/local";
import type { Backends } from "./backends.ts";
import { makeAuthority, type Authority, type IssuedCertificate } from "./certificates.ts";
import { redisCommand } from "./redis-command.ts";

export interface TlsBackends extends Backends {
  /** Address of the same Redis server without TLS. */
  readonly plainRedisUrl: string;
  /** Redis Cluster of one node. */
  readonly clusterUrl: string;
  /** Sentinel of the Redis server. */
  readonly sentinelUrl: string;
  /** Certificate of the authority that issued the servers' certificates. */
  readonly authorityFile: string;
}

/** Starts servers on this machine. Their certificates expire at `end`; by default, after a year. */
export async function startTlsBackends(end?: Date): Promise<TlsBackends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-tls-"));
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const authority = await makeAuthority(folder, "authority");
  const issued = await authority.issue("server", end);
  const [natsPort = 0, plainPort = 0, port = 0, sentinelPlain = 0, sentinelPort = 0, ...cluster] = await freePorts(8);
  const [clusterPlain = 0, clusterPort = 0, clusterBusPort = 0] = cluster;
  const optionsOf = (name: string, plain: number) => ({ port: plain, folder: join(folder, name), keep: false });
  const started = await Promise.all([
    startNats({
      ...optionsOf("nats", natsPort),
      more: ["--tls", "--tlscert", issued.certificateFile, "--tlskey", issued.keyFile],
    }),
    startRedis({ ...optionsOf("redis", plainPort), more: byTls(port, authority, issued) }),
    startRedis({
      ...optionsOf("cluster", clusterPlain),
      clusterPort: clusterBusPort,
      more: [...byTls(clusterPort, authority, issued), "--tls-cluster", "yes"],
    }),
    startSentinel({
      ...optionsOf("sentinel", sentinelPlain),
      configuration: writeConfiguration(join(folder, "sentinel"), port),
      more: [...byTls(sentinelPort, authority, issued), "--tls-replication", "yes"],
    }),
  ]);
  for (const { child } of started) starting.defer(() => child.stop());
  await redisCommand(clusterPlain, "CLUSTER ADDSLOTSRANGE 0 16383");
  const servers = starting.move();
  return {
    redisUrl: `rediss://127.0.0.1:${port}`,
    natsUrl: `tls://127.0.0.1:${natsPort}`,
    how: "local servers",
    plainRedisUrl: `redis://127.0.0.1:${plainPort}`,
    clusterUrl: `rediss+cluster://127.0.0.1:${clusterPort}`,
    sentinelUrl: `rediss+sentinel://127.0.0.1:${sentinelPort}/${master}`,
    authorityFile: authority.file,
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  };
}

const master = "modelgate";

/** Returns the arguments with which a Redis server listens for TLS on an additional port. */
function byTls(port: number, authority: Authority, { certificateFile, keyFile }: IssuedCertificate): readonly string[] {
  const files = ["--tls-cert-file", certificateFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", authority.file];
  return ["--tls-port", String(port), ...files, "--tls-auth-clients", "no"];
}

function writeConfiguration(folder: string, primaryPort: number): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "sentinel.conf");
  writeFileSync(file, `sentinel monitor ${master} 127.0.0.1 ${primaryPort} 1\n`);
  return file;
}
