import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readText } from "./read-text.ts";
import { openTransport, type Transport } from "./transport.ts";

/**
 * A vendor in a process of its own, which closes each connection as soon as it is idle, and says how often it was
 * asked. In this process it could not close anything while a test keeps the event loop from turning.
 */
const vendor = `
  let asked = 0;
  const server = require("node:http").createServer((request, response) => {
    response.end(String(++asked), () => setTimeout(() => request.socket.destroy(), 5));
    request.resume();
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;
let child: ChildProcess;
let url: URL;
let transport: Transport;
beforeAll(async () => {
  child = spawn(process.execPath, ["-e", vendor], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = child.stdout === null ? [] : await once(child.stdout, "data");
  url = new URL(`http://127.0.0.1:${String(line).trim()}/`);
  transport = openTransport();
});
afterAll(async () => {
  await transport?.[Symbol.asyncDispose]();
  child?.kill();
});

const ask = () =>
  transport.send(
    { url, method: "POST", headers: {}, body: Buffer.from("{}"), timeoutMs: 5_000 },
    new AbortController().signal,
  );

test("a connection that the vendor closed while it was idle is not written to: each call is sent once", async () => {
  const answers = [];
  for (let at = 0; at < 5; at++) {
    const answer = await ask();
    answers.push(await readText(answer, 100));
    await setImmediate();
    // The vendor closes the connection meanwhile, and this process cannot hear of it before it asks again.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  expect(answers).toEqual(["1", "2", "3", "4", "5"]);
});
