import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TaskRecord } from "@modelgate/accounts";
import { publishConfiguration } from "@modelgate/catalog";
import { readText } from "@modelgate/channels";
import { createLogger, readEnv, SharedParts } from "@modelgate/platform";
import {
  startBackends,
  startScriptedServer,
  until,
  type Backends,
  type ScriptedAnswer,
  type ScriptedServer,
} from "@modelgate/testkit";
import { openVideoContent } from "../src/content/source.ts";
import { openDeps, type Deps } from "../src/deps.ts";
import { variables } from "../src/env.ts";
import { taskOf } from "./task.ts";

const secret = "a secret of a test suite";
const noon = 1_800_000_000_000;

let backends: Backends;
let deps: Deps;
let shared: SharedParts;
/** Answers of the vendor and of its file host, by path. */
let has: Record<string, ScriptedAnswer> = {};
let servers: readonly ScriptedServer[] = [];
const allRequests = () => servers.flatMap(({ requests }) => requests);
/** Returns an address at the vendor's origin, or at its file host. */
const addressOf = (path: string, origin: 0 | 1 = 0): string => `${servers[origin]?.url}${path}`;

beforeAll(async () => {
  backends = await startBackends();
  const answer = ({ url }: { readonly url: string }) => has[url] ?? { status: 404 };
  servers = [await startScriptedServer(answer), await startScriptedServer(answer)];
  const configuration = { id: "main", provider: "openai", baseUrl: addressOf("/v1"), keys: ["key"], models: ["film"] };
  const redis = new Redis(backends.redisUrl);
  await publishConfiguration(
    redis,
    { groups: { default: { models: ["*"] } }, models: { film: { kind: "video" } } },
    [{ configuration, baseUrl: addressOf("/v1"), keys: ["key"] }],
    [secret],
  );
  redis.disconnect();
  const { redisUrl: REDIS_URL, natsUrl: NATS_URL } = backends;
  const env = readEnv(variables, { REDIS_URL, NATS_URL, MODELGATE_SECRET: secret });
  const { log } = createLogger("video", "silent");
  shared = new SharedParts(log);
  deps = { ...(await openDeps({ ending: new AbortController().signal, env, log, shared })), now: () => noon };
  await until("the configuration", () => deps.relay.catalog.ready);
});
afterAll(async () => {
  await deps?.[Symbol.asyncDispose]();
  await shared?.[Symbol.asyncDispose]();
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  await backends?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  has = {};
  for (const { requests } of servers) requests.length = 0;
});

function finished(result: object, wire: TaskRecord["wire"] = "video-generations"): TaskRecord {
  const keyId = deps.relay.catalog.current().channels[0]?.keys[0]?.id ?? "";
  return { ...taskOf("acme", "video_1", noon), keyId, wire, state: "completed", result: JSON.stringify(result) };
}

/** Returns the content that a client gets, or the code of its error. */
async function fetched(task: TaskRecord, variant = "video"): Promise<string> {
  const request = Object.assign(new IncomingMessage(new Socket()), { headers: { range: "bytes=0-9", cookie: "c" } });
  const { signal } = new AbortController();
  try {
    await using source = await openVideoContent(deps, task, { variant, request, signal });
    return await readText(source.answer, 1_000);
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
const paths = () => allRequests().map(({ url }) => url);

const pollPath = "/v1/video/generations/op-video_1";
const fresh = () => ({ body: JSON.stringify({ status: "completed", url: addressOf("/fresh.mp4") }) });

test("a valid address is used with the range, and the vendor gets no other request", async () => {
  has = { "/a.mp4": { body: "a video" } };
  expect(await fetched(finished({ url: addressOf("/a.mp4"), expiresAt: noon + 1 }))).toBe("a video");
  expect(allRequests()).toMatchObject([
    { url: "/a.mp4", headers: { range: "bytes=0-9", authorization: "Bearer key" } },
  ]);
  expect(allRequests()[0]?.headers).not.toHaveProperty("cookie");
});

test.each([
  ["has expired", { status: 200, body: "old" }, noon],
  ["is refused as expired", { status: 403 }, noon + 1],
  ["is gone", { status: 410 }, undefined],
])("an address that %s: the vendor returns a new one", async (_, old, expiresAt) => {
  has = { "/a.mp4": old, [pollPath]: fresh(), "/fresh.mp4": { body: "a video" } };
  expect(await fetched(finished({ url: addressOf("/a.mp4"), expiresAt }))).toBe("a video");
  expect(paths().slice(-2)).toEqual([pollPath, "/fresh.mp4"]);
});

test.each([
  ["no longer knows the video", { status: 404 }, "video_expired"],
  ["has no address for the video", { body: JSON.stringify({ status: "completed" }) }, "video_expired"],
  ["returns an address without content", fresh, "video_expired"],
  ["does not answer", { status: 500 }, "upstream_error"],
])("a vendor that %s", async (_, answer, code) => {
  has = { [pollPath]: typeof answer === "function" ? answer() : answer };
  expect(await fetched(finished({ url: addressOf("/a.mp4") }))).toBe(code);
});

test("a redirect of a content endpoint is followed within its origin, and elsewhere never to private addresses", async () => {
  const content = "/v1/videos/op-video_1/content";
  const keysFor = async (location: string) => {
    for (const { requests } of servers) requests.length = 0;
    has = { [content]: { status: 302, headers: { location } }, "/a.mp4": { body: "a video" } };
    return [await fetched(finished({}, "videos")), ...allRequests().map(({ headers }) => headers.authorization)];
  };
  expect(await keysFor("/a.mp4")).toEqual(["a video", "Bearer key", "Bearer key"]);
  // Another port of the vendor's host gets no key and must have a public address.
  expect(await keysFor(addressOf("/a.mp4", 1))).toEqual(["upstream_error", "Bearer key"]);
  expect(await keysFor("http://127.0.0.2/a.mp4")).toEqual(["upstream_error", "Bearer key"]);
});

test("a removed channel has no videos; a rotated key is replaced by another", async () => {
  expect(await fetched({ ...finished({ url: addressOf("/a.mp4") }), channelId: "another" })).toBe("video_expired");
  expect(allRequests()).toEqual([]);
  has = { "/a.mp4": { body: "a video" } };
  expect(await fetched({ ...finished({ url: addressOf("/a.mp4") }), keyId: "another" })).toBe("a video");
});

test("only the video is available if the vendor has no endpoint for variants", async () => {
  has = { "/a.mp4": { body: "a video" } };
  expect(await fetched(finished({ url: addressOf("/a.mp4") }), "thumbnail")).toBe("video_not_ready");
  expect(allRequests()).toEqual([]);
});
