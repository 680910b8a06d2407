import { expect, test } from "vitest";
import { readRedisUrl } from "../src/redis-url.ts";

test.each<[string, object]>([
  ["redis://store", { kind: "single", node: { host: "store", port: 6379 }, database: 0, tls: false, credentials: {} }],
  [
    "rediss://me:p%40ss@store:6380/2",
    {
      kind: "single",
      node: { host: "store", port: 6380 },
      database: 2,
      tls: true,
      credentials: { username: "me", password: "p@ss" },
    },
  ],
  ["redis://[::1]:7000", { kind: "single", node: { host: "::1", port: 7000 } }],
  [
    "redis://:word@a:7000, redis://b:7001,redis://c",
    {
      kind: "cluster",
      tls: false,
      credentials: { password: "word" },
      nodes: [
        { host: "a", port: 7000 },
        { host: "b", port: 7001 },
        { host: "c", port: 6379 },
      ],
    },
  ],
  [
    "rediss+cluster://entry.example.com",
    { kind: "cluster", tls: true, nodes: [{ host: "entry.example.com", port: 6379 }] },
  ],
  [
    "redis+sentinel://:word@one,redis+sentinel://two:5000/main/3?sentinelPassword=other",
    {
      kind: "sentinel",
      master: "main",
      database: 3,
      credentials: { password: "word" },
      sentinelPassword: "other",
      nodes: [
        { host: "one", port: 26379 },
        { host: "two", port: 5000 },
      ],
    },
  ],
])("%s", (text, address) => {
  expect(readRedisUrl(text, "")).toMatchObject(address);
});

test.each([
  "http://:secret@store",
  "redis://:secret@a,rediss://b",
  "redis+sentinel://:secret@one",
  "redis://:secret@a/x",
])("%s is refused, without its password", (text) => {
  expect(() => readRedisUrl(text, "")).toThrow(/REDIS_URL must/);
  expect(() => readRedisUrl(text, "")).not.toThrow(/secret/);
});
