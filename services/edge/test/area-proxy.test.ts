import { once } from "node:events";
import { IncomingMessage, request as httpRequest, ServerResponse, type RequestListener, type Server } from "node:http";
import { connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLogger, shutdownRequest } from "@modelgate/platform";
import { startHttpServer, type TestServer } from "@modelgate/testkit";
import { AreaProxy } from "../src/area-proxy.ts";
import type { ProxyOptions } from "../src/proxied-call.ts";
import { contextOf, setUpgrade, type Upgrade } from "../src/request-context.ts";
import { assignRequestId } from "../src/steps/request-id.ts";

const { log } = createLogger("test", "silent");
let service: TestServer<Server>;
let edge: TestServer<Server>;
let proxy: AreaProxy;
let requests: IncomingMessage[] = [];
let answers: ServerResponse[] = [];
let upgrades: Upgrade[] = [];

/** Returns a proxy to the service that waits longer than any test by default. */
function proxyWith(silence: Partial<ProxyOptions>): AreaProxy {
  const urls = { text: service.url, realtime: service.url };
  return new AreaProxy({ urls, log, silenceMs: 600_000, streamSilenceMs: 600_000, ...silence });
}

beforeEach(async () => {
  [requests, answers, upgrades] = [[], [], []];
  service = await startHttpServer((request) => requests.push(request));
  proxy = proxyWith({});
  edge = await startHttpServer((request, response) => {
    answers.push(response);
    void assignRequestId(request, response, () => {
      const context = contextOf(request);
      context.id = context.path === "/v1/responses" ? "responses" : "chatCompletions";
      void proxy.pass("text", request, response, () => response.destroy());
    });
  });
  edge.server.on("upgrade", (request: IncomingMessage, socket, head: Buffer) => {
    if (!(socket instanceof Socket)) throw new Error("not a network socket");
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    const upgrade: Upgrade = { socket, head };
    upgrades.push(upgrade);
    setUpgrade(request, upgrade);
    void assignRequestId(request, response, () => void proxy.pass("realtime", request, response, () => undefined));
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  proxy[Symbol.dispose]();
  await Promise.all([edge, service].map((server) => server[Symbol.asyncDispose]()));
});

const event = (data: string): string => `data: ${data}\n\n`;
const sse = { "content-type": "text/event-stream" };
const errorEvent = /^data: \{"error":\{.*"code":"server_overloaded"\}\}\n\n$/;
const overloaded = { error: { code: "server_overloaded" } };

function serve(listener: RequestListener): void {
  service.server.on("request", listener);
}

function post(path = "/v1/chat/completions", init: RequestInit = {}): Promise<Response> {
  return fetch(`${edge.url}${path}`, { method: "POST", body: "{}", ...init });
}

async function bodyOf(answer: Response): Promise<{ readonly first: string; rest(): Promise<string> }> {
  if (answer.body === null) throw new Error("no body");
  const chunks = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const { value: first = "" } = await chunks.read();
  return {
    first,
    async rest() {
      let rest = "";
      for (let next = await chunks.read(); !next.done; next = await chunks.read()) rest += next.value;
      return rest;
    },
  };
}

async function ask(headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
  const outgoing = httpRequest({ port: edge.port, method: "POST", path: "/v1/chat/completions", headers });
  outgoing.end(body);
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  if (answer === undefined) throw new Error("no answer");
  return answer;
}

describe("a call", () => {
  test("a call passes in both directions: path, headers, body, status and trailers", async () => {
    serve(async (request, response) => {
      response.writeHead(201, "Made", { "x-own": "1", trailer: "x-cost" });
      response.write(`${request.url} ${await text(request)}`);
      response.addTrailers({ "x-cost": "7" });
      response.end();
    });
    const answer = await ask({ "content-type": "application/json", connection: "close" }, '{"a":1}');
    expect([answer.statusCode, answer.statusMessage, answer.headers["x-own"]]).toEqual([201, "Made", "1"]);
    expect(await text(answer)).toBe('/v1/chat/completions {"a":1}');
    expect(answer.trailers).toEqual({ "x-cost": "7" });
  });

  test("a client of HTTP/1.0 gets a stream without its trailer", async () => {
    serve((_request, response) => {
      response.writeHead(200, { ...sse, trailer: "x-cost" }).write(event("1"));
      response.addTrailers({ "x-cost": "7" });
      response.end(event("2"));
    });
    const socket = connect(edge.port, "127.0.0.1");
    socket.write("POST /v1/chat/completions HTTP/1.0\r\ncontent-length: 2\r\n\r\n{}");
    const [head = "", ...body] = Buffer.concat(await socket.toArray())
      .toString()
      .split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(head).not.toMatch(/trailer|x-cost/i);
    expect(body).toEqual([event("1") + event("2")]);
  });

  test.each(["setHeader", "write", "end"] as const)("an error of `%s` ends only its call", async (method) => {
    serve((_request, response) => {
      const answer = answers.at(-1);
      if (answers.length === 1 && answer !== undefined)
        vi.spyOn(answer, method).mockImplementation(() => {
          throw new Error("a defect");
        });
      response.writeHead(200, sse).end(event("1"));
    });
    await expect(post().then((answer) => answer.text())).rejects.toThrow();
    expect(await (await post()).text()).toBe(event("1"));
  });

  test("a call keeps its connection to the service when the client closes, except with a body of unknown length", async () => {
    serve((_request, response) => void response.end("ok"));
    await text(await ask({ connection: "close", "content-length": "2" }, "{}"));
    await text(await ask({ "transfer-encoding": "chunked" }, "{}"));
    expect(requests.map(({ headers }) => headers.connection)).toEqual(["keep-alive", "close"]);
  });

  test("to an area without an address fails", () => {
    const request = new IncomingMessage(new Socket());
    expect(() => proxy.pass("video", request, new ServerResponse(request), () => undefined)).toThrow(
      "This deployment does not run the video service.",
    );
  });

  test("a call whose client disconnects ends at the service", async () => {
    const closed = Promise.withResolvers<boolean>();
    serve((_request, response) => {
      response.once("close", () => closed.resolve(response.writableFinished));
      response.writeHead(200, sse).write(event("1"));
    });
    const leaving = new AbortController();
    await post(undefined, { signal: leaving.signal });
    leaving.abort();
    expect(await closed.promise).toBe(false);
  });

  test("an upload that the service refuses early gets the refusal", async () => {
    serve((request, response) => {
      request.resume(); // as services do for a limited time
      response.writeHead(413).end("too large");
    });
    const outgoing = httpRequest({
      port: edge.port,
      method: "POST",
      headers: { "content-length": String(50_000_000) },
    });
    outgoing.on("error", () => undefined).write(Buffer.alloc(1_000_000));
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    expect(answer?.statusCode).toBe(413);
    outgoing.destroy();
  });
});

describe("a service that disconnects", () => {
  test("before its answer: a 503 in the request's format, and the call is not sent again", async () => {
    serve((request) => request.socket.resetAndDestroy());
    const answer = await post();
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.json()).toMatchObject(overloaded);
    expect(requests).toHaveLength(1);
  });

  test("after its headers: a 503 without the headers of the lost body", async () => {
    serve((_request, response) => {
      response.writeHead(200, { ...sse, "content-encoding": "gzip", "cache-control": "no-store" }).flushHeaders();
    });
    const answered = post();
    await vi.waitFor(() => expect(answers[0]?.getHeader("content-encoding")).toBe("gzip"), 30_000);
    requests[0]?.socket.resetAndDestroy();
    const answer = await answered;
    expect([answer.status, answer.headers.get("content-encoding"), answer.headers.get("cache-control")]).toEqual([
      503,
      null,
      null,
    ]);
    expect(await answer.json()).toMatchObject(overloaded);
  });

  test.each([
    ["reset", (socket: Socket): unknown => socket.resetAndDestroy()],
    ["ended", (socket: Socket): unknown => socket.end()],
    ["destroyed", (socket: Socket): unknown => socket.destroy()],
  ])("in a stream (%s): the error event after the last complete event", async (_, breakOff) => {
    serve((_request, response) => void response.writeHead(200, sse).write(`${event("1")}data: unfinis`));
    const { first, rest } = await bodyOf(await post());
    expect(first).toBe(event("1"));
    if (requests[0] !== undefined) breakOff(requests[0].socket);
    expect(await rest()).toMatch(errorEvent);
  });

  test("with bytes that a slow client has not read: the client gets them, then the error event", async () => {
    let sent = "";
    serve(async (request, response) => {
      response.writeHead(200, sse);
      while (!answers[0]?.writableNeedDrain) {
        const events = event("x".repeat(1_000)).repeat(16);
        response.write(events);
        sent += events;
        // oxlint-disable-next-line no-await-in-loop -- sequential, so that the edge has read every chunk
        await nextTurn();
      }
      request.socket.resetAndDestroy();
    });
    const warned = vi.spyOn(log, "warn");
    const answer = await ask({}, "{}");
    await vi.waitFor(
      () => expect(warned).toHaveBeenCalledWith(expect.anything(), "the service failed while it answered"),
      30_000,
    );
    const body = await text(answer);
    const last = body.lastIndexOf("data: ");
    expect(body.slice(last)).toMatch(errorEvent);
    expect(sent.startsWith(body.slice(0, last))).toBe(true);
  });

  test("in an answer with a declared length: the answer is cut", async () => {
    serve((_request, response) => {
      response.writeHead(200, { "content-type": "audio/mpeg", "content-length": "100" }).write("some");
    });
    const { first, rest } = await bodyOf(await post());
    expect(first).toBe("some");
    requests[0]?.socket.destroy();
    await expect(rest()).rejects.toThrow();
  });
});

describe("a service that hangs", () => {
  test("before its answer: a 503", async () => {
    proxy = proxyWith({ silenceMs: 50 });
    serve(() => undefined);
    expect((await post()).status).toBe(503);
  });

  test("a stream with heartbeats is not silent", async () => {
    proxy = proxyWith({ streamSilenceMs: 1_500 });
    serve((_request, response) => {
      let beats = 0;
      response.writeHead(200, sse);
      const timer = setInterval(() => {
        response.write(": alive\n\n");
        if (++beats < 8) return;
        clearInterval(timer);
        response.end(event("1"));
      }, 250);
    });
    expect((await (await post()).text()).endsWith(event("1"))).toBe(true);
  });

  test("in a stream of events: the error event", async () => {
    proxy = proxyWith({ streamSilenceMs: 50 });
    serve((_request, response) => void response.writeHead(200, sse).write(event("1")));
    expect((await (await post()).text()).slice(9)).toMatch(errorEvent);
  });
});

test("a service that refuses connections: a 503", async () => {
  await service[Symbol.asyncDispose]();
  const answer = await post();
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject(overloaded);
});

test("a draining edge notifies the service on the call's connection, which ends the call", async () => {
  const calls: ServerResponse[] = [];
  serve((request, response) => {
    if (request.url === shutdownRequest.split(" ")[1]) {
      response.end();
      calls[0]?.end(event("the end"));
    } else {
      calls.push(response);
      response.writeHead(200, sse).write(event("1"));
    }
  });
  const answer = await post();
  proxy.end(600_000);
  expect(await answer.text()).toBe(event("1") + event("the end"));
  expect(requests[1]?.socket).toBe(requests[0]?.socket);
});

test("a draining edge ends the calls that their service does not end", async () => {
  serve((request, response) => {
    if (request.url === shutdownRequest.split(" ")[1]) response.end();
    else response.writeHead(200, sse).write(event("1"));
  });
  const answer = await post();
  proxy.end(0);
  const body = await answer.text();
  expect(body.slice(0, 9)).toBe(event("1"));
  expect(body.slice(9)).toMatch(/The gateway is being restarted/);
});

const handshakeAt = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: YQ==\r\n\r\n`;
const handshake = handshakeAt("/v1/realtime");

/** Requests a WebSocket, and returns all bytes until its connection ends. */
async function session(): Promise<string> {
  const socket = connect(edge.port, "127.0.0.1");
  socket.write(handshake);
  return Buffer.concat(await socket.toArray()).toString("latin1");
}

/** Opens a WebSocket, and waits for the first frames. The result waits for the end and returns all bytes. */
async function openSession(firstFrames: string, path = "/v1/realtime"): Promise<() => Promise<string>> {
  const socket = connect(edge.port, "127.0.0.1").setEncoding("latin1");
  let received = "";
  const ended = once(
    socket.on("data", (bytes: string) => (received += bytes)),
    "end",
  );
  socket.write(handshakeAt(path));
  await vi.waitFor(() => expect(received.split("\r\n\r\n")[1]).toBe(firstFrames), 30_000);
  return async () => {
    await ended;
    return received;
  };
}

function upgradeWith(use: (socket: Socket) => void): void {
  service.server.on("upgrade", (_request, socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n");
    if (socket instanceof Socket) use(socket);
  });
}

describe("a WebSocket", () => {
  const frame = "\x81\x02{}";

  test("a WebSocket passes in both directions, including the bytes that come with its handshake", async () => {
    upgradeWith((socket) =>
      socket.once("data", (bytes) => socket.write(bytes)).once("end", () => socket.end("\x88\x00", "latin1")),
    );
    const client = connect({ port: edge.port, host: "127.0.0.1", allowHalfOpen: true });
    client.end(`${handshake}${frame}`, "latin1");
    const answer = Buffer.concat(await client.toArray()).toString("latin1");
    expect(answer.split("\r\n\r\n")[1]).toBe(`${frame}\x88\x00`);
  });

  test("a WebSocket whose client disconnects ends at its service", async () => {
    const ended = Promise.withResolvers<string>();
    upgradeWith((socket) => socket.once("end", () => ended.resolve("ended")).resume());
    const client = connect(edge.port, "127.0.0.1");
    client.write(handshake);
    await once(client, "data");
    client.resetAndDestroy();
    expect(await ended.promise).toBe("ended");
  });

  test.each([
    ["reset", (socket: Socket): unknown => socket.resetAndDestroy()],
    ["ended", (socket: Socket): unknown => socket.end()],
    ["destroyed", (socket: Socket): unknown => socket.destroy()],
  ])(
    "a WebSocket whose service disconnects (%s) gets complete frames, the error event and 1012",
    async (_, breakOff) => {
      const opened = Promise.withResolvers<Socket>();
      upgradeWith((socket) => {
        socket.write(Buffer.from(`${frame}\x81\x05unf`, "latin1"));
        opened.resolve(socket);
      });
      const open = await openSession(frame);
      breakOff(await opened.promise);
      const [, frames = ""] = (await open()).split("\r\n\r\n");
      expect(frames.startsWith(`${frame}\x81~`)).toBe(true);
      expect(frames).toContain('{"type":"error"');
      expect(frames.slice(-21)).toBe("\x88\x13\x03\xf4server_overloaded");
      expect(upgrades).toMatchObject([{ status: 101 }]);
    },
  );

  test("of Gemini Live whose service disconnects gets only a close with the message", async () => {
    const opened = Promise.withResolvers<Socket>();
    upgradeWith((socket) => void socket.write(Buffer.from(frame, "latin1"), () => opened.resolve(socket)));
    const open = await openSession(frame, "/ws/google.ai.generativelanguage.v1beta.GenerativeService.Bidi");
    (await opened.promise).destroy();
    const [, frames = ""] = (await open()).split("\r\n\r\n");
    expect(frames.startsWith(`${frame}\x88`)).toBe(true);
    expect(frames).toContain("\x03\xf4The service behind this session ended unexpectedly");
  });

  test("that the service refuses gets its answer", async () => {
    service.server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno"));
    expect(await session()).toMatch(/^HTTP\/1.1 401 No\r\n[^]*\r\n\r\nno$/);
    expect(upgrades).toMatchObject([{ status: 401 }]);
  });

  test("a WebSocket whose service is unavailable gets 503", async () => {
    service.server.on("upgrade", (_request, socket) => socket.destroy());
    const answer = await session();
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
    expect(answer).toContain('"code":"server_overloaded"');
  });

  test("that its service does not close is closed with 1001 when the edge drains", async () => {
    upgradeWith((socket) => socket.resume());
    const open = await openSession("");
    proxy.end(0);
    expect((await open()).slice(-21)).toBe("\x88\x13\x03\xe9server_overloaded");
  });

  test("that its service has not opened gets a 503 when the edge drains", async () => {
    const requested = once(service.server, "upgrade");
    const answer = session();
    await requested;
    proxy.end(0);
    expect(await answer).toMatch(/^HTTP\/1.1 503 /);
  });

  test("is ended by its service when the edge drains", async () => {
    upgradeWith((socket) => socket.once("end", () => socket.end(Buffer.from("\x88\x02\x03\xe9", "latin1"))).resume());
    const open = await openSession("");
    proxy.end(600_000);
    expect((await open()).slice(-4)).toBe("\x88\x02\x03\xe9");
  });
});
