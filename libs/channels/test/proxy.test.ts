import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BufferBudget } from "@modelgate/platform";
import {
  makeAuthority,
  startScriptedServer,
  startSocketServer,
  startWebSocketServer,
  type ScriptedServer,
} from "@modelgate/testkit";
import { connectSocket } from "../src/connect.ts";
import { ProxyFailed, proxyTimeoutCode, connectThrough } from "../src/proxy.ts";
import { readText } from "../src/refused.ts";
import { openRemoteFiles } from "../src/remote/remote-files.ts";
import { openRemoteStreams } from "../src/remote/remote-streams.ts";
import { openTransport } from "../src/transport.ts";
import { proxyKinds, startProxy } from "./proxies.ts";

const signal = new AbortController().signal;
let vendor: ScriptedServer;
let port: number;
let connections: number;
beforeEach(async () => {
  connections = 0;
  vendor = await startScriptedServer(({ method, url, headers }) => {
    const to = new URL(url, "http://host").searchParams.get("to");
    if (to !== null) return { status: 302, headers: { location: to } };
    return { headers: { "content-type": "image/png" }, body: `${method} ${url} at ${headers.host}` };
  });
  vendor.server.on("connection", () => connections++);
  ({ port } = vendor);
});
afterEach(() => vendor[Symbol.asyncDispose]());

const schemes = { CONNECT: "http", SOCKS5: "socks5" } as const;
const requestTo = (url: string, proxy: string | undefined) =>
  ({ url: new URL(url), method: "POST", headers: {}, body: Buffer.from("{}"), timeoutMs: 5_000, proxy }) as const;

describe.each(proxyKinds)("a %s proxy", (kind) => {
  test("carries calls to a host that only it can resolve, over reused connections", async () => {
    await using proxy = await startProxy[kind]();
    await using transport = openTransport();
    for (const path of ["/one", "/two"]) {
      const answer = await transport.send(requestTo(`http://vendor.example:${port}${path}`, proxy.url), signal);
      expect(await readText(answer, 100)).toBe(`POST ${path} at vendor.example:${port}`);
      await setImmediate(); // the connection is idle again
    }
    expect([proxy.targets, connections]).toEqual([[`vendor.example:${port}`], 1]);
  });

  test("does not share connections with another proxy, or with direct calls to the same address", async () => {
    await using proxy = await startProxy[kind]();
    await using other = await startProxy[kind]();
    await using transport = openTransport();
    for (const each of [proxy.url, undefined, other.url])
      await readText(await transport.send(requestTo(`http://127.0.0.1:${port}/`, each), signal), 100);
    expect(connections).toBe(3);
    expect([proxy.targets, other.targets]).toEqual([[`127.0.0.1:${port}`], [`127.0.0.1:${port}`]]);
  });

  test("gets the name and the password of its URL, and its error names neither", async () => {
    await using proxy = await startProxy[kind]({ credentials: "somebody:s3cr@t" });
    await using transport = openTransport();
    const withName = proxy.url.replace("://", "://somebody:s3cr%40t@");
    const answer = await transport.send(requestTo(`http://vendor.example:${port}/`, withName), signal);
    expect(answer.status).toBe(200);
    answer.abort();
    const wrong = transport.send(requestTo(`http://vendor.example:${port}/`, withName.replace("%40", "-")), signal);
    const error: unknown = await wrong.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ProxyFailed);
    expect(String(error)).toContain(`The proxy ${proxy.url} `);
    expect(JSON.stringify([error, String(error)])).not.toMatch(/somebody|s3cr/);
  });

  test("that refuses the target fails with its reason", async () => {
    await using proxy = await startProxy[kind]();
    await using transport = openTransport();
    const refused = transport.send(requestTo(`http://forbidden.example:${port}/`, proxy.url), signal);
    await expect(refused).rejects.toThrow(
      kind === "CONNECT" ? `answered 403 to CONNECT forbidden.example:${port}` : /NotAllowed/,
    );
    await expect(refused).rejects.toBeInstanceOf(ProxyFailed);
    expect(connections).toBe(0);
  });

  test("that cannot be reached fails with the code of the connection", async () => {
    const proxy = await startProxy[kind]();
    await proxy[Symbol.asyncDispose]();
    await using transport = openTransport();
    const failed = transport.send(requestTo(`http://vendor.example:${port}/`, proxy.url), signal);
    await expect(failed).rejects.toMatchObject({ name: "ProxyFailed", code: "ECONNREFUSED" });
  });

  test("that closes the connection fails immediately, and is not retried", async () => {
    let connected = 0;
    await using proxy = await startSocketServer((socket) => void (connected++, socket.end()), schemes[kind]);
    await using transport = openTransport();
    const failed = transport.send(requestTo("http://vendor.example/", proxy.url), signal);
    await expect(failed).rejects.toBeInstanceOf(ProxyFailed);
    expect(connected).toBe(1);
  });

  test("that does not answer fails after the timeout", async () => {
    await using proxy = await startSocketServer(undefined, schemes[kind]);
    const opened = Promise.withResolvers<unknown>();
    connectThrough(proxy.url, 50)({ protocol: "https:", hostname: "vendor.example", port: "" }, (...[error]) =>
      opened.resolve(error),
    );
    expect(await opened.promise).toMatchObject({ name: "ProxyFailed", code: proxyTimeoutCode });
  });

  test("carries TLS that only the target can end: a certificate that is not trusted is the target's error", async () => {
    const authority = await makeAuthority(mkdtempSync(join(tmpdir(), "proxy-")), "unknown");
    const { keyFile, certificateFile } = await authority.issue("vendor.example");
    const pair = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
    await using secure = await startScriptedServer({}, pair);
    await using proxy = await startProxy[kind]();
    await using transport = openTransport();
    const target = `vendor.example:${secure.port}`;
    const failed = transport.send(requestTo(`https://${target}/`, proxy.url), signal);
    await expect(failed).rejects.toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    expect(proxy.targets).toEqual([target]);
  });

  test("carries WebSockets, and reports its failure for them too", async () => {
    await using sessions = await startWebSocketServer((socket) => socket.send("hello"));
    await using proxy = await startProxy[kind]();
    const request = requestTo(`ws://vendor.example:${sessions.port}/realtime`, proxy.url);
    const answer = await connectSocket(request, { maxMessageBytes: 100 }, signal);
    if (!("socket" in answer)) throw new Error(`the handshake was refused: ${answer.status}`);
    answer.socket.resume();
    expect(String(await once(answer.socket, "message"))).toBe("hello,false");
    answer.socket.terminate();
    expect(proxy.targets).toEqual([`vendor.example:${sessions.port}`]);
    const refused = { ...request, url: new URL("ws://forbidden.example/") };
    await expect(connectSocket(refused, { maxMessageBytes: 100 }, signal)).rejects.toBeInstanceOf(ProxyFailed);
  });

  test("gets no link-local address", async () => {
    await using proxy = await startProxy[kind]();
    await using transport = openTransport();
    const call = requestTo(`http://169.254.169.254:${port}/`, proxy.url);
    const session = requestTo(`ws://169.254.169.254:${port}/`, proxy.url);
    await expect(transport.send(call, signal)).rejects.toThrow("link-local");
    await expect(connectSocket(session, { maxMessageBytes: 100 }, signal)).rejects.toThrow("link-local");
    expect(proxy.targets).toEqual([]);
  });

  describe("of a fetched file", () => {
    const rules = {
      resolve: async (host: string) => {
        if (host === "public.example") return ["203.0.113.7"];
        if (host === "private.example" || host === "allowed.example") return ["10.0.0.1"];
        throw new Error("unknown here");
      },
      isAllowed: (address: string) => address === "203.0.113.7",
    };
    const limits = { maxBytes: 1_000, timeoutMs: 5_000, maxRedirects: 1 };
    const files = openRemoteFiles(limits, new BufferBudget(10_000), {
      ...rules,
      privateHosts: new Set(["allowed.example", "inner.example"]),
    });
    const streams = openRemoteStreams(rules);
    const holder = { accountId: "acme", tokenId: "tok_1" };
    const vendorsOrigin = "http://vendor.example:1";
    const fetchWith = async (proxy: string, url: string, trustedOrigin?: string): Promise<string> => {
      using file = await files.fetch({ url, accepts: () => true, holder, trustedOrigin, proxy, signal });
      return file.bytes.toString();
    };
    const streamWith = async (proxy: string, url: string, trustedOrigin?: string): Promise<number> => {
      await using stream = await streams.open({ url, headers: {}, timeoutMs: 5_000, trustedOrigin, proxy, signal });
      return stream.answer.status;
    };

    test("gets the address that was checked, and the file's host gets its name", async () => {
      await using proxy = await startProxy[kind]();
      const url = `http://public.example:${port}/image.png`;
      expect(await fetchWith(proxy.url, url)).toBe(`GET /image.png at public.example:${port}`);
      expect(proxy.targets).toEqual([`203.0.113.7:${port}`]);
    });

    test("gets the name of an address that the vendor gave", async () => {
      await using proxy = await startProxy[kind]();
      const url = `http://public.example:${port}/image.png`;
      expect(await fetchWith(proxy.url, url, vendorsOrigin)).toBe(`GET /image.png at public.example:${port}`);
      expect(await streamWith(proxy.url, url, vendorsOrigin)).toBe(200);
      expect(new Set(proxy.targets)).toEqual(new Set([`public.example:${port}`]));
    });

    test("carries TLS with the host's name to the address that was checked", async () => {
      const authority = await makeAuthority(mkdtempSync(join(tmpdir(), "proxy-")), "unknown");
      const { keyFile, certificateFile } = await authority.issue("public.example");
      const names: string[] = [];
      await using secure = await startScriptedServer(
        {},
        {
          key: readFileSync(keyFile),
          cert: readFileSync(certificateFile),
          SNICallback: (name, done) => {
            names.push(name);
            done(null);
          },
        },
      );
      await using proxy = await startProxy[kind]();
      const failed = streamWith(proxy.url, `https://public.example:${secure.port}/`);
      await expect(failed).rejects.toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
      expect([names, proxy.targets]).toEqual([["public.example"], [`203.0.113.7:${secure.port}`]]);
    });

    test("gets a name that is unknown here only if the vendor gave it or the operator allows it", async () => {
      await using proxy = await startProxy[kind]();
      const unknown = `http://unknown.example:${port}/`;
      await expect(fetchWith(proxy.url, unknown)).rejects.toThrow("its host is not known");
      await expect(streamWith(proxy.url, unknown)).rejects.toThrow("its host is not known");
      expect(proxy.targets).toEqual([]);
      expect(await fetchWith(proxy.url, unknown, vendorsOrigin)).toBe(`GET / at unknown.example:${port}`);
      expect(await streamWith(proxy.url, unknown, vendorsOrigin)).toBe(200);
      await fetchWith(proxy.url, `http://inner.example:${port}/`);
      expect(new Set(proxy.targets)).toEqual(new Set([`unknown.example:${port}`, `inner.example:${port}`]));
    });

    test("gets the name of the channel's own address, although it is private", async () => {
      await using proxy = await startProxy[kind]();
      const privateUrl = `http://private.example:${port}`;
      await fetchWith(proxy.url, `${privateUrl}/image.png`, privateUrl);
      expect(proxy.targets).toEqual([`private.example:${port}`]);
    });

    test("gets no private address, unless the operator allows its host", async () => {
      await using proxy = await startProxy[kind]();
      for (const host of ["private.example", "10.0.0.1", "[::1]", "169.254.169.254"])
        for (const trusted of [undefined, vendorsOrigin]) {
          const url = `http://${host}:${port}/`;
          await expect(fetchWith(proxy.url, url, trusted)).rejects.toThrow("not on the public internet");
          await expect(streamWith(proxy.url, url, trusted)).rejects.toThrow("not on the public internet");
        }
      expect(proxy.targets).toEqual([]);
      await fetchWith(proxy.url, `http://allowed.example:${port}/`);
      expect(proxy.targets).toEqual([`10.0.0.1:${port}`]);
    });

    test("is checked at each redirect", async () => {
      await using proxy = await startProxy[kind]();
      const to = (host: string) =>
        `http://public.example:${port}/moved?to=${encodeURIComponent(`http://${host}:${port}/`)}`;
      for (const host of ["unknown.example", "private.example"]) {
        await expect(fetchWith(proxy.url, to(host))).rejects.toThrow("its host is not");
        await expect(streamWith(proxy.url, to(host))).rejects.toThrow("its host is not");
      }
      expect(new Set(proxy.targets)).toEqual(new Set([`203.0.113.7:${port}`]));
    });

    test("that fails is not the client's mistake", async () => {
      await using proxy = await startProxy[kind]();
      const unreached = fetchWith(proxy.url, "http://forbidden.example/", vendorsOrigin);
      await expect(unreached).rejects.toMatchObject({ code: "upstream_proxy_failed", status: 502 });
    });
  });
});

test("a proxy at a link-local address is not used", async () => {
  await using transport = openTransport();
  const failed = transport.send(requestTo(`http://127.0.0.1:${port}/`, "http://169.254.169.254:3128"), signal);
  await expect(failed).rejects.toThrow("link-local");
});
