import { chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, Redis } from "ioredis";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAlerts } from "@modelgate/books";
import { publishedKey } from "@modelgate/catalog";
import {
  readCertificateEnd,
  createLogger,
  storeContentCertificateEnds,
  type Redis as AnyRedis,
} from "@modelgate/platform";
import {
  makeAuthority,
  startLocalPostgres,
  startScriptedServer,
  startTlsBackends,
  type Authority,
  type TlsBackends,
} from "@modelgate/testkit";
import { AlertRecorder } from "../../src/alerts/alert-recorder.ts";
import { recordCertificateAlerts } from "../../src/alerts/certificates.ts";
import { newBooks } from "../engines.ts";

const { log } = createLogger("test", "silent");
const dayMs = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "modelgate-certificates-"));
const tls = { rejectUnauthorized: false };
/** End of certificates that expire soon, in complete seconds. */
const expiresSoonAt = new Date(Math.floor((Date.now() + 10 * dayMs) / 1_000) * 1_000);
const opened = new AsyncDisposableStack();
let authority: Authority;
let backends: TlsBackends;
let redis: Redis;
beforeAll(async () => {
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  authority = await makeAuthority(folder, "authority");
  backends = opened.use(await startTlsBackends(expiresSoonAt));
  redis = new Redis(backends.plainRedisUrl);
  opened.defer(() => redis.disconnect());
});
afterAll(() => opened.disposeAsync());

/** Starts a server with a new certificate. Returns its address. */
async function startServer(name: string, end: Date): Promise<string> {
  const { certificateFile, keyFile } = await authority.issue(name, end);
  const pair = { cert: readFileSync(certificateFile), key: readFileSync(keyFile) };
  return opened.use(await startScriptedServer({}, pair)).url;
}

/** Starts PostgreSQL with a certificate. Returns its address. */
async function startPostgres(): Promise<string> {
  const { url } = opened.use(await startLocalPostgres());
  const { certificateFile, keyFile } = await authority.issue("postgres", expiresSoonAt);
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>("show data_directory");
  const data = rows[0]?.data_directory ?? "";
  const { uid, gid } = statSync(data);
  for (const [file, name] of [
    [certificateFile, "server.crt"],
    [keyFile, "server.key"],
  ] as const) {
    copyFileSync(file, join(data, name));
    chownSync(join(data, name), uid, gid);
  }
  await client.query("alter system set ssl = on");
  await client.query("select pg_reload_conf()");
  await client.end();
  return url;
}

/** Finds alerts in new books, by two ledgers. */
async function found(storeUrls: readonly string[], by: AnyRedis = redis) {
  await using books = await newBooks({ kind: "sqlite" });
  for (const recorder of [new AlertRecorder(log), new AlertRecorder(log)])
    await recordCertificateAlerts(books, { redis: by, recorder }, storeUrls);
  return (await readAlerts(books, { limit: 99 }))
    .map(({ kind, subject, severity, period }) => [kind, subject, severity, period])
    .toSorted();
}

const alertOf = (subject: string, end = expiresSoonAt, severity = "warning", days = 14) => [
  "certificate-expiring",
  subject,
  severity,
  `${end.toISOString()}/${days}`,
];
const hostOf = (url: string) => new URL(url).host;

test("certificates of Redis, NATS and PostgreSQL are alerts, once each", async () => {
  const postgres = await startPostgres();
  const { redisUrl, natsUrl, clusterUrl, sentinelUrl, plainRedisUrl } = backends;
  const watched = [redisUrl, natsUrl, clusterUrl, sentinelUrl, `${postgres}?sslmode=require`];
  expect(await found([...watched, plainRedisUrl])).toEqual(watched.map((url) => alertOf(hostOf(url))).toSorted());
  // The client of NATS uses TLS if the server requires it, that of PostgreSQL only if asked.
  const plain = [postgres, `${postgres}?sslmode=disable&sslrootcert=ca.pem`, `${postgres}?ssl=0`];
  expect(await found([natsUrl.replace("tls:", "nats:"), ...plain])).toEqual([alertOf(hostOf(natsUrl))]);
  for (const parameters of ["sslrootcert=ca.pem", "sslkey=key.pem", "sslnegotiation=direct", "ssl=true"])
    expect(await found([`${postgres}?${parameters}`]), parameters).toEqual([alertOf(hostOf(postgres))]);
});

test("the nodes of a Cluster, and the master that Sentinels name, are watched without their addresses", async () => {
  const cluster = new Cluster([{ host: "127.0.0.1", port: Number(new URL(backends.clusterUrl).port) }], {
    redisOptions: { tls },
    dnsLookup: (host, done) => done(null, host),
  });
  opened.defer(() => cluster.disconnect());
  await cluster.ping();
  expect(await found([], cluster)).toEqual([alertOf(hostOf(backends.clusterUrl))]);
  const { hostname: host, port } = new URL(backends.sentinelUrl);
  const master = new Redis({
    sentinels: [{ host, port: Number(port) }],
    name: "modelgate",
    tls,
    sentinelTLS: tls,
    enableTLSForSentinelMode: true,
  });
  opened.defer(() => master.disconnect());
  await master.ping();
  expect(await found([], master)).toEqual([alertOf(hostOf(backends.redisUrl))]);
});

test("the certificates of the Redis for content are watched by the processes that use it", async () => {
  for (const url of [backends.clusterUrl, backends.redisUrl, backends.plainRedisUrl])
    await storeContentCertificateEnds(redis, url);
  expect(await found([])).toEqual([alertOf(hostOf(backends.redisUrl))]);
  expect(await redis.ttl("certificates:content")).toBeGreaterThan(2 * 3_600);
  await redis.del("certificates:content");
});

test("the client certificate in the address of PostgreSQL is watched", async () => {
  const { certificateFile } = await authority.issue("client", expiresSoonAt);
  const address = (file: string) => `postgres://127.0.0.1:1/books?sslmode=require&sslcert=${encodeURIComponent(file)}`;
  expect(await found([address(certificateFile)])).toEqual([alertOf(`the file ${certificateFile}`)]);
  expect(await found([address(join(folder, "nothing.crt"))])).toEqual([]);
});

test("certificates of channels are alerts 14 and 3 days before their end, unless there is a proxy", async () => {
  const inDays = (days: number) => new Date(expiresSoonAt.getTime() + (days - 10) * dayMs);
  const [near, nearest, later, past] = [inDays(13), inDays(2), inDays(15), inDays(-1)];
  const urls = await Promise.all([near, nearest, later, past].map((end, at) => startServer(`channel-${at}`, end)));
  const [first = "", second = ""] = urls;
  const viaProxy = await startServer("proxied", near);
  const channels = [...urls, viaProxy, "http://127.0.0.1:1"].map((baseUrl, at) => ({
    id: `channel-${at}`,
    provider: "openai",
    baseUrl,
    models: ["m"],
    keys: [],
    ...(baseUrl === viaProxy ? { proxy: "encrypted" } : {}),
  }));
  const configuration = { version: "1", publishedAt: expiresSoonAt.toISOString(), groups: {}, models: {}, channels };
  await redis.set(publishedKey, JSON.stringify(configuration));
  expect(await found([])).toEqual(
    [alertOf(hostOf(first), near), alertOf(hostOf(second), nearest, "error", 3)].toSorted(),
  );
  await redis.del(publishedKey);
});

test("a server without TLS, and one that does not answer, have no certificate", async () => {
  const plain = opened.use(await startScriptedServer({}));
  const port = Number(new URL(plain.url).port);
  expect(await readCertificateEnd({ host: "127.0.0.1", port })).toBeUndefined();
  for (const protocol of ["nats", "postgres"] as const)
    expect(await readCertificateEnd({ host: "127.0.0.1", port: 1, protocol })).toBeUndefined();
});
