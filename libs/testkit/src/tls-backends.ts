import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, startNats, startRedis } from "@modelgate/deploy/local";
import type { Backends } from "./backends.ts";
import { makeAuthority } from "./certificates.ts";

/** A Redis and a NATS that are reached by TLS. */
export interface TlsBackends extends Backends {
  /** Redis without TLS, for what is about NATS alone. */
  readonly plainRedisUrl: string;
  /** The certificate of the authority that both are certified by. */
  readonly authorityFile: string;
  /** The certificate of an authority that has certified nobody. */
  readonly strangerFile: string;
}

/** Servers of this machine with certificates of an authority made for them;. */
export async function startTlsBackends(): Promise<TlsBackends> {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-tls-"));
  await using starting = new AsyncDisposableStack();
  starting.defer(() => rmSync(folder, { recursive: true, force: true }));
  const authority = await makeAuthority(folder, "authority");
  const stranger = await makeAuthority(folder, "stranger");
  const { certificateFile, keyFile } = await authority.issue("server");
  const [natsPort = 0, plainPort = 0, tlsPort = 0] = await freePorts(3);
  const nats = await startNats({
    port: natsPort,
    folder: join(folder, "nats"),
    keep: false,
    more: ["--tls", "--tlscert", certificateFile, "--tlskey", keyFile],
  });
  starting.defer(() => nats.child.stop());
  const redis = await startRedis({
    port: plainPort,
    folder: join(folder, "redis"),
    keep: false,
    more: [
      "--tls-port",
      String(tlsPort),
      "--tls-cert-file",
      certificateFile,
      "--tls-key-file",
      keyFile,
      "--tls-ca-cert-file",
      authority.file,
      "--tls-auth-clients",
      "no",
    ],
  });
  starting.defer(() => redis.child.stop());
  const started = starting.move();
  return {
    redisUrl: `rediss://127.0.0.1:${tlsPort}`,
    natsUrl: `tls://127.0.0.1:${natsPort}`,
    how: "local servers",
    plainRedisUrl: redis.url,
    authorityFile: authority.file,
    strangerFile: stranger.file,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
