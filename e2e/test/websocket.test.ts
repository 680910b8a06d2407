import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, startSuite, until, type Suite } from "@modelgate/testkit";
import { config, hello, keys, post } from "./suite-client.ts";
import { handshake } from "./realtime-client.ts";

// Service behind the edge that accepts upgrades and echoes bytes.
const received: IncomingMessage[] = [];
const halves: Socket[] = [];
const service = createServer().on("upgrade", (incoming, socket) => {
  received.push(incoming);
  if (socket instanceof Socket) halves.push(socket);
  socket.on("error", () => undefined);
  const accept = createHash("sha1")
    .update(`${incoming.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  socket.pipe(socket);
});

let suite: Suite;
beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  service.listen(port, "127.0.0.1");
  await once(service, "listening");
  suite = await startSuite({
    shape: "apart",
    config,
    envOf: { edge: { REALTIME_URL: `http://127.0.0.1:${port}` } },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  service.close();
});

const handshakeWith = (key: string) => ({
  ...handshake,
  "sec-websocket-protocol": `realtime, openai-insecure-api-key.${key}`,
  "x-modelgate-caller": "forged",
});

/** Opens a WebSocket without a library, so that the test sees all bytes. */
async function open(key: string) {
  const outgoing = request(`${suite.edgeUrl}/v1/realtime?model=chat&key=left-alone`, { headers: handshakeWith(key) });
  outgoing.end();
  const [response, socket] = await once(outgoing, "upgrade");
  return { response, socket };
}

test("bytes pass both ways, and the service learns the caller only from the edge", async () => {
  const { response, socket } = await open(keys.demo);
  expect(response.statusCode).toBe(101);
  socket.write(Buffer.from([0x82, 0x03, 0x00, 0xff, 0x7f]));
  const [echo] = await once(socket, "data");
  expect(echo).toEqual(Buffer.from([0x82, 0x03, 0x00, 0xff, 0x7f]));
  const [upgrade] = received;
  expect(upgrade?.headers["x-modelgate-caller"]).toMatch(/^[\w-]+\.[\w-]{43}$/);
  expect(upgrade?.headers["x-request-id"]).toMatch(/^req_/);
  expect(upgrade?.headers["sec-websocket-protocol"]).toBe("realtime");
  socket.destroy();
});

test("an open socket holds its seat until it closes", async () => {
  const { socket } = await open(keys.single);
  expect((await post(suite, hello("fixed"), keys.single)).status).toBe(429);
  socket.destroy();
  await until("the seat to be released", async () => (await post(suite, hello("fixed"), keys.single)).status === 200);
});

test.each(["client", "service"] as const)("when the %s closes, so does the other side", async (who) => {
  const { socket } = await open(keys.demo);
  const other = halves.at(-1);
  if (other === undefined) throw new Error("the service saw no connection");
  socket.resume(); // reads the close frame
  const ended = once(who === "client" ? other : socket, "close");
  (who === "client" ? socket : other).resetAndDestroy();
  await ended;
  expect(socket.destroyed && other.destroyed).toBe(true);
});

test.each([
  [
    "between two frames",
    Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
    /^##\{\}#~##\{"type":"error",.*"code":"server_overloaded".*\}####server_overloaded$/,
  ],
  ["within a frame", Buffer.from([0x81, 0x02, 0x7b]), /^#~##\{"type":"error",.*\}####server_overloaded$/],
  ["after its close frame", Buffer.from([0x88, 0x02, 0x03, 0xe8]), /^####$/],
])("a service that disconnects %s: its client gets the reason, in complete frames", async (_, last, expected) => {
  const { socket } = await open(keys.demo);
  const [service] = halves.slice(-1);
  let text = "";
  socket.on("data", (data: Buffer) => (text += data.toString("latin1")));
  service?.write(last, () => service.destroy());
  await once(socket, "close");
  expect(text.replaceAll(/[^ -~]/g, "#")).toMatch(expected);
});

test("an unavailable service gets 503 before the upgrade", async () => {
  service.close();
  for (const half of halves) half.destroy();
  await once(service, "close");
  const outgoing = request(`${suite.edgeUrl}/v1/realtime?model=chat`, { headers: handshakeWith(keys.demo) });
  const [response] = await once(outgoing.end(), "response");
  expect(response.statusCode).toBe(503);
  let text = "";
  for await (const chunk of response) text += String(chunk);
  expect(JSON.parse(text)).toMatchObject({ error: { code: "server_overloaded" } });
});
