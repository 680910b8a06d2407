import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { BufferBudget } from "@modelgate/platform";
import { makeAuthority } from "@modelgate/testkit";
import { connectSocket } from "../src/connect.ts";
import { ProxyFailed, proxyTimeoutCode, connectThrough } from "../src/proxy.ts";
import { readText } from "../src/refused.ts";
import { openRemoteFiles } from "../src/remote/remote-files.ts";
import { openRemoteStreams } from "../src/remote/remote-streams.ts";
import { openTransport } from "../src/transport.ts";
import { startConnectProxy, startSilentServer, startSocksProxy } from "./proxies.ts";

const starts = { CONNECT: startConnectProxy, SOCKS5: startSocksProxy };
const signal = AbortSignal.timeout(20_000);
let vendor: Server;
let port: number;
let connections: number;
beforeEach(async () => {
  connections = 0;
  vendor = createServer((request, response) => {
    response.setHeader("content-type", "image/png");
    response.end(`${request.method} ${request.url} at ${request.headers.host}`);
  });
  vendor.on("connection", () => connections++);
  new WebSocketServer({ server: vendor }).on("connection", (socket) => socket.send("hello"));
  await once(vendor.listen(0, "127.0.0.1"), "listening");
  ({ port } = vendor.address() as AddressInfo);
});
afterEach(() => {
  vendor.close();
  vendor.closeAllConnections();
});

const requestTo = (url: string, proxy: string | undefined) =>
  ({ url: new URL(url), method: "POST", headers: {}, body: Buffer.from("{}"), timeoutMs: 5_000, proxy }) as const;

describe.each(["CONNECT", "SOCKS5"] as const)("a %s proxy", (kind) => {
  test("carries calls to a host that only it can resolve, over connections that are kept", async () => {
    await using proxy = await starts[kind]();
    await using transport = openTransport();
    for (const path of ["/one", "/two"]) {
      const answer = await transport.send(requestTo(`http://vendor.example:${port}${path}`, proxy.url), signal);
      expect(await readText(answer, 100)).toBe(`POST ${path} at vendor.example:${port}`);
      await setImmediate(); // the connection is free again
    }
    expect([proxy.targets, connections]).toEqual([[`vendor.example:${port}`], 1]);
  });

  test("has other connections than no proxy or another proxy to the same address", async () => {
    await using proxy = await starts[kind]();
    await using other = await starts[kind]();
    await using transport = openTransport();
    for (const each of [proxy.url, undefined, other.url])
      await readText(await transport.send(requestTo(`http://127.0.0.1:${port}/`, each), signal), 100);
    expect(connections).toBe(3);
    expect([proxy.targets, other.targets]).toEqual([[`127.0.0.1:${port}`], [`127.0.0.1:${port}`]]);
  });

  test("gets the name and the password of its URL, and its error names neither", async () => {
    await using proxy = await starts[kind]({ credentials: "somebody:s3cr@t" });
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
    await using proxy = await starts[kind]();
    await using transport = openTransport();
    const refused = transport.send(requestTo(`http://forbidden.example:${port}/`, proxy.url), signal);
    await expect(refused).rejects.toThrow(
      kind === "CONNECT" ? `answered 403 to CONNECT forbidden.example:${port}` : /NotAllowed/,
    );
    await expect(refused).rejects.toBeInstanceOf(ProxyFailed);
    expect(connections).toBe(0);
  });

  test("that cannot be reached fails with the code of the connection", async () => {
    const proxy = await starts[kind]();
    await proxy[Symbol.asyncDispose]();
    await using transport = openTransport();
    const failed = transport.send(requestTo(`http://vendor.example:${port}/`, proxy.url), signal);
    await expect(failed).rejects.toMatchObject({ name: "ProxyFailed", code: "ECONNREFUSED" });
  });

  test("that closes the connection fails at once, and is not tried again", async () => {
    let connected = 0;
    const closing = createTcpServer((socket) => void (connected++, socket.end()));
    await once(closing.listen(0, "127.0.0.1"), "listening");
    await using transport = openTransport();
    const scheme = kind === "CONNECT" ? "http" : "socks5";
    const proxy = `${scheme}://127.0.0.1:${(closing.address() as AddressInfo).port}`;
    await expect(transport.send(requestTo("http://vendor.example/", proxy), signal)).rejects.toBeInstanceOf(
      ProxyFailed,
    );
    expect(connected).toBe(1);
    closing.close();
  });

  test("that does not answer fails when its time is over", async () => {
    await using proxy = await startSilentServer(kind === "CONNECT" ? "http" : "socks5");
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
    const secure = createTlsServer(pair, (_, response) => response.end());
    await once(secure.listen(0, "127.0.0.1"), "listening");
    await using proxy = await starts[kind]();
    await using transport = openTransport();
    const target = `vendor.example:${(secure.address() as AddressInfo).port}`;
    const failed = transport.send(requestTo(`https://${target}/`, proxy.url), signal);
    await expect(failed).rejects.toMatchObject({ code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" });
    expect(proxy.targets).toEqual([target]);
    secure.close();
  });

  test("carries WebSockets, and reports its failure for them too", async () => {
    await using proxy = await starts[kind]();
    const request = requestTo(`ws://vendor.example:${port}/realtime`, proxy.url);
    const answer = await connectSocket(request, { maxMessageBytes: 100 }, signal);
    if (!("socket" in answer)) throw new Error(`the handshake was refused: ${answer.status}`);
    answer.socket.resume();
    expect(String(await once(answer.socket, "message"))).toBe("hello,false");
    answer.socket.terminate();
    expect(proxy.targets).toEqual([`vendor.example:${port}`]);
    const refused = { ...request, url: new URL("ws://forbidden.example/") };
    await expect(connectSocket(refused, { maxMessageBytes: 100 }, signal)).rejects.toBeInstanceOf(ProxyFailed);
  });

  test("carries files by the name of their host, if no address that is known here is private", async () => {
    await using proxy = await starts[kind]();
    const rules = {
      resolve: async (host: string) => {
        if (host === "public.example") return ["203.0.113.7"];
        if (host === "private.example") return ["10.0.0.1"];
        throw new Error("unknown here");
      },
      isAllowed: (address: string) => address === "203.0.113.7",
    };
    const limits = { maxBytes: 1_000, timeoutMs: 5_000, maxRedirects: 1 };
    const files = openRemoteFiles(limits, new BufferBudget(10_000), rules);
    const streams = openRemoteStreams(rules);
    const wish = { proxy: proxy.url, signal };
    for (const host of ["public.example", "unknown.example"]) {
      const url = `http://${host}:${port}/image.png`;
      using file = await files.fetch({ url, accepts: () => true, ...wish });
      expect(file.bytes.toString()).toBe(`GET /image.png at ${host}:${port}`);
      await using stream = await streams.open({ url, headers: {}, timeoutMs: 5_000, ...wish });
      expect(stream.answer.status).toBe(200);
    }
    const before = proxy.targets.length;
    for (const host of ["private.example", "10.0.0.1", "[::1]", "169.254.169.254"]) {
      const url = `http://${host}:${port}/`;
      await expect(files.fetch({ url, accepts: () => true, ...wish })).rejects.toThrow("not on the public internet");
      await expect(streams.open({ url, headers: {}, timeoutMs: 5_000, ...wish })).rejects.toThrow("not on the public");
    }
    expect(proxy.targets).toHaveLength(before);
    const unreached = files.fetch({ url: "http://forbidden.example/", accepts: () => true, ...wish });
    await expect(unreached).rejects.toThrow("the gateway's proxy failed");
  });
});

test("a proxy at a link-local address is not used", async () => {
  await using transport = openTransport();
  const failed = transport.send(requestTo(`http://127.0.0.1:${port}/`, "http://169.254.169.254:3128"), signal);
  await expect(failed).rejects.toThrow("link-local");
});
