import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BufferBudget } from "@modelgate/platform";
import { startScriptedServer, type Script, type ScriptedAnswer, type ScriptedServer } from "@modelgate/testkit";
import { isGlobalAddress } from "../../src/remote/global-address.ts";
import { NotFetched } from "../../src/remote/not-fetched.ts";
import { parseHosts, type RemoteRules } from "../../src/remote/pinned-address.ts";
import { openRemoteFiles } from "../../src/remote/remote-files.ts";

describe("addresses", () => {
  test.each([
    // this host, loopback, private, link-local (metadata services), carrier-grade NAT
    "0.0.0.0",
    "0.1.2.3",
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    // protocol assignments, documentation, benchmarks, multicast, reserved, broadcast
    "192.0.0.8",
    "192.0.2.1",
    "198.51.100.7",
    "203.0.113.9",
    "198.18.0.1",
    "198.19.255.255",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "192.88.99.1",
    // the same in IPv6
    "::",
    "::1",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "100::1",
    // IPv6 addresses that contain an IPv4 address
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    // not allocated
    "4000::1",
    "1::1",
    "2001:10::1",
    // not an address
    "",
    "localhost",
    "1.2.3",
    "fe80::1%eth0",
  ])("%s is not a public address", (address) => {
    expect(isGlobalAddress(address)).toBe(false);
  });

  test.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"])(
    "%s is a public address",
    (address) => {
      expect(isGlobalAddress(address)).toBe(true);
    },
  );
});

const picture = { headers: { "content-type": "image/png" }, body: "a picture" };
let site: ScriptedServer;
let second: Server;
let port = 0;
let hits: string[] = [];
const budget = new BufferBudget(1_000_000);

const answers: Readonly<Record<string, ScriptedAnswer>> = {
  "/text": { headers: { "content-type": "text/html" }, body: "<html>" },
  "/gone": { ...picture, status: 404 },
  "/zipped": { ...picture, headers: { ...picture.headers, "content-encoding": "gzip" } },
  "/nowhere": { ...picture, status: 302 },
  "/large": { ...picture, body: "x".repeat(2_000) },
};

const serveFile: Script = ({ url, path, headers }, response) => {
  hits.push(`${response.socket?.localAddress} ${headers.host?.replace(/:\d+$/, "")} ${path}`);
  const { searchParams } = new URL(url, "http://host");
  const to = searchParams.get("to");
  if (to !== null) return { status: 302, headers: { location: to }, body: "moved" };
  const times = Number(searchParams.get("times"));
  if (times > 0) return { status: 307, headers: { location: `?times=${times - 1}` } };
  if (path === "/silent") return undefined;
  if (path !== "/endless" && path !== "/stalls")
    return answers[path] ?? { ...picture, headers: { "content-type": "Image/PNG; charset=x" } };
  response.writeHead(200, picture.headers).write("begun");
  if (path === "/stalls") return undefined;
  const timer = setInterval(() => response.write(Buffer.alloc(100)), 1);
  response.once("close", () => clearInterval(timer));
  return undefined;
};

beforeAll(async () => {
  site = await startScriptedServer(serveFile);
  ({ port } = site);
  // The same site at a second address, which must not be reached.
  second = createServer((request, response) => void site.server.emit("request", request, response));
  await once(second.listen(port, "127.0.0.2"), "listening");
});
afterAll(async () => {
  second?.close();
  second?.closeAllConnections();
  await site?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  hits = [];
});

/** Rules that treat only 127.0.0.1 as an address on the public internet. */
const rules: Partial<RemoteRules> = {
  isAllowed: (address) => address === "127.0.0.1",
  resolve: (host) =>
    host.endsWith(".example") ? Promise.resolve(["127.0.0.1"]) : Promise.reject(new Error("no such name")),
};
/** Limits with a timeout that no test reaches; tests without an answer use `shortTimeout`. */
const limits = { maxBytes: 1_000, timeoutMs: 30_000, maxRedirects: 3 };
const shortTimeout = { ...limits, timeoutMs: 50 };

const holder = { accountId: "acme", tokenId: "tok_1" };

async function fetched(
  path: string,
  more: Partial<RemoteRules> = {},
  trustedOrigin?: string,
  within = limits,
): Promise<string> {
  const files = openRemoteFiles(within, budget, { ...rules, ...more });
  const url = path.startsWith("/") ? `http://files.example:${port}${path}` : path.replace("PORT", String(port));
  const fetched = { url, holder, trustedOrigin, proxy: undefined, signal: new AbortController().signal };
  try {
    using file = await files.fetch({ ...fetched, accepts: (type) => type.startsWith("image/") });
    return `${file.mediaType} ${file.bytes.toString()}`;
  } catch (error) {
    if (error instanceof NotFetched) return error.message;
    throw error;
  } finally {
    expect(budget.usedBytes).toBe(0);
  }
}

test("a file of a public host, with its name", async () => {
  expect(await fetched("/a.png")).toBe("image/png a picture");
  expect(hits).toEqual(["127.0.0.1 files.example /a.png"]);
});

test.each([
  ["file:///etc/passwd", "its scheme is not http or https"],
  ["ftp://files.example/a.png", "its scheme is not http or https"],
  ["gopher://127.0.0.2:PORT/", "its scheme is not http or https"],
  ["no url", "it is not a valid URL"],
  ["http://", "it is not a valid URL"],
  ["http://user:secret@files.example:PORT/", "it contains a user name or password"],
  ["http://user@files.example:PORT/", "it contains a user name or password"],
  ["http://:secret@files.example:PORT/", "it contains a user name or password"],
  ["http://nowhere:PORT/", "its host is not known"],
  ["http://127.0.0.2:PORT/", "its host is not on the public internet"],
  ["http://2130706434:PORT/", "its host is not on the public internet"],
  ["http://0x7f.0.0.2:PORT/", "its host is not on the public internet"],
  ["http://127.2:PORT/", "its host is not on the public internet"],
  ["http://0177.0.0.02:PORT/", "its host is not on the public internet"],
  ["http://[::1]:PORT/", "its host is not on the public internet"],
  ["http://[::ffff:127.0.0.2]:PORT/", "its host is not on the public internet"],
  ["/gone", "its host answered with status 404"],
  ["/text", 'its content type "text/html" is not accepted'],
  ["/zipped", "it is compressed"],
  ["/nowhere", "its host answered with status 302"],
  ["/large", "it is larger than 1000 bytes"],
  ["/endless", "it is larger than 1000 bytes"],
  ["http://files.example:1/", "its host cannot be reached"],
])("%s is not fetched: %s", async (url, why) => {
  expect(await fetched(url)).toBe(why);
  expect(hits.filter((hit) => hit.startsWith("127.0.0.2"))).toEqual([]);
});

test.each(["/silent", "/stalls"])("%s is aborted", async (url) => {
  expect(await fetched(url, {}, undefined, shortTimeout)).toBe("it did not arrive within 50 ms");
});

describe("redirects", () => {
  const to = (url: string) => `/moved?to=${encodeURIComponent(url.replace("PORT", String(port)))}`;

  test("are followed, and each hop is checked", async () => {
    expect(await fetched(to("http://other.example:PORT/b.png"))).toBe("image/png a picture");
    expect(await fetched(to("b.png"))).toBe("image/png a picture");
  });

  test.each([
    ["http://127.0.0.2:PORT/", "its host is not on the public internet"],
    ["http://[::ffff:7f00:2]:PORT/", "its host is not on the public internet"],
    ["http://nowhere/", "its host is not known"],
    ["file:///etc/passwd", "its scheme is not http or https"],
    ["//127.0.0.2:PORT/", "its host is not on the public internet"],
  ])("to %s are not followed", async (url, why) => {
    expect(await fetched(to(url))).toBe(why);
    expect(hits).toHaveLength(1);
  });

  test("end after the maximum number", async () => {
    expect(await fetched("/again?times=3")).toBe("image/png a picture");
    expect(await fetched("/again?times=4")).toBe("it redirects more than 3 times");
  });
});

describe("a name that changes its address", () => {
  const rebinding = (...answers: readonly (readonly string[])[]) => {
    let fetching = 0;
    return {
      fetching: () => fetching,
      resolve: () => Promise.resolve(answers[Math.min(fetching++, answers.length - 1)] ?? []),
    };
  };

  test("is resolved once, and the checked address is connected to", async () => {
    const { resolve, fetching } = rebinding(["127.0.0.1"], ["127.0.0.2"]);
    expect(await fetched("/a.png", { resolve })).toBe("image/png a picture");
    expect(fetching()).toBe(1);
    expect(hits).toEqual(["127.0.0.1 files.example /a.png"]);
  });

  test("is refused at the next hop", async () => {
    const { resolve } = rebinding(["127.0.0.1"], ["127.0.0.2"]);
    expect(await fetched("/moved?to=/a.png", { resolve })).toBe("its host is not on the public internet");
    expect(hits).toHaveLength(1);
  });

  test.each([[["127.0.0.1", "127.0.0.2"]], [["127.0.0.2", "127.0.0.1"]]])(
    "is refused with %j immediately",
    async (all) => {
      expect(await fetched("/a.png", { resolve: () => Promise.resolve(all) })).toBe(
        "its host is not on the public internet",
      );
      expect(hits).toEqual([]);
    },
  );

  test("is unknown without any address", async () => {
    expect(await fetched("/a.png", { resolve: () => Promise.resolve([]) })).toBe("its host is not known");
  });

  test("is aborted if its name is never resolved", async () => {
    const resolve = () => new Promise<never>(() => undefined);
    expect(await fetched("/a.png", { resolve }, undefined, shortTimeout)).toBe("it did not arrive within 50 ms");
  });
});

test("hosts that the operator allows may be private", async () => {
  expect([...parseHosts(" Files.Example, 10.0.0.1,,[fd00::1] ")]).toEqual(["files.example", "10.0.0.1", "fd00::1"]);
  expect(await fetched("http://127.0.0.2:PORT/a.png", { privateHosts: new Set(["127.0.0.2"]) })).toContain("picture");
});

test("a vendor's configured address may be private, and no other port of its host", async () => {
  const vendor = `http://127.0.0.2:${port}`;
  expect(await fetched(`${vendor}/a.png`, {}, vendor)).toContain("picture");
  hits = [];
  for (const trusted of [`http://127.0.0.2:${port + 1}`, `https://127.0.0.2:${port}`, "http://127.0.0.2"])
    expect(await fetched(`${vendor}/a.png`, {}, trusted)).toBe("its host is not on the public internet");
  const moved = `${vendor}/moved?to=${encodeURIComponent("http://127.0.0.2:1/a.png")}`;
  expect(await fetched(moved, {}, vendor)).toBe("its host is not on the public internet");
  expect(hits).toHaveLength(1);
});

test("a caller may abort its fetch", async () => {
  const files = openRemoteFiles({ ...limits, timeoutMs: 60_000 }, budget, rules);
  const controller = new AbortController();
  const fetching = files.fetch({
    url: `http://files.example:${port}/stalls`,
    accepts: () => true,
    holder,
    proxy: undefined,
    signal: controller.signal,
  });
  await expect.poll(() => hits).toHaveLength(1);
  controller.abort();
  await expect(fetching).rejects.toThrow();
  expect(budget.usedBytes).toBe(0);
});

test("fetched files count for the caller's account, which cannot use more than its share", async () => {
  const shares = { accountPercent: 50, tokenPercent: 50, accountBodies: 1, tokenBodies: 1 };
  const shared = new BufferBudget(30, shares);
  const files = openRemoteFiles(limits, shared, rules);
  const fetchAs = (accountId: string) =>
    files.fetch({
      url: `http://files.example:${port}/a.png`,
      accepts: () => true,
      holder: { accountId, tokenId: accountId },
      proxy: undefined,
      signal: new AbortController().signal,
    });
  using first = await fetchAs("acme");
  await expect(fetchAs("acme")).rejects.toMatchObject({ code: "rate_limit_exceeded" });
  expect(shared.usedBytes).toBe(first.bytes.length);
  using other = await fetchAs("other");
  expect(shared.usedBytes).toBe(first.bytes.length + other.bytes.length);
});
