import { once } from "node:events";
import { request, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { startHttpServer, type TestServer } from "@modelgate/testkit";
import { endCall, gatewayFailureOf, endingOf, unlessEnded } from "../src/ending.ts";
import { ClientDisconnected } from "../src/read-body.ts";

let server: TestServer<Server>;
beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function open() {
  const clientRequest = request(server.url).end();
  clientRequest.on("error", () => undefined);
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  server.server.once("request", (_, response) => resolve(response));
  return { clientRequest, response: await promise };
}

test("a client that disconnects ends its call with ClientDisconnected, which is not a failure of the gateway", async () => {
  const { clientRequest, response } = await open();
  const ending = endingOf(response);
  clientRequest.destroy();
  await once(ending, "abort");
  expect(ending.reason).toBeInstanceOf(ClientDisconnected);
  expect(gatewayFailureOf(ending)).toBeUndefined();
});

test("if the client has already disconnected, the signal is aborted immediately", async () => {
  const { clientRequest, response } = await open();
  clientRequest.destroy();
  await once(response, "close");
  expect(endingOf(response).reason).toBeInstanceOf(ClientDisconnected);
});

test("the gateway's failure is the reason, also after the client disconnects", async () => {
  const { clientRequest, response } = await open();
  const ending = endingOf(response);
  const failure = new Failure("server_overloaded");
  endCall(response, failure);
  clientRequest.destroy();
  await once(response, "close");
  expect(gatewayFailureOf(ending)).toBe(failure);
});

test("a complete answer aborts nothing, neither before its close nor after it", async () => {
  const { clientRequest, response } = await open();
  const ending = endingOf(response);
  const closed = once(response, "close");
  response.end("done");
  endCall(response, new Failure("server_overloaded"));
  const [answer] = await once(clientRequest, "response");
  answer.resume();
  await closed;
  expect(ending.aborted).toBe(false);
});

test("a wait for work ends when its call ends, with the same failure", async () => {
  const ending = new AbortController();
  const never = new Promise<void>(() => undefined);
  const waiting = unlessEnded(ending.signal, never);
  const failure = new Failure("server_overloaded");
  ending.abort(failure);
  await expect(waiting).rejects.toBe(failure);
  await expect(unlessEnded(ending.signal, never)).rejects.toBe(failure);
  expect(await unlessEnded(new AbortController().signal, Promise.resolve(1))).toBe(1);
});
