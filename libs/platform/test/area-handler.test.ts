import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Failure, headers } from "@modelgate/contracts";
import { startHttpServer, type TestServer } from "@modelgate/testkit";
import { areaHandler, type EndpointHandler } from "../src/area-handler.ts";
import { BufferBudget } from "../src/buffer-budget.ts";
import { endCall, shutdownRequest, restartFailure } from "../src/ending.ts";
import { bufferForm } from "../src/form/buffer-form.ts";
import { createLogger } from "../src/log.ts";
import { readBody } from "../src/read-body.ts";
import { signCaller } from "../src/secrets.ts";

const { log } = createLogger("test", "silent");
const secret = "0123456789abcdef0123456789abcdef";
const pace = { silenceMs: 60_000, graceMs: 60_000, floorBytesPerSecond: 1 };
const limits = { ...pace, maxBytes: 1_000, budget: new BufferBudget(10_000) };
const form = { ...limits, parts: 4, files: 1, fieldBytes: 100, fieldsBytes: 100, fileBytes: 100 };

const responses: ServerResponse[] = [];
const refusals: string[] = [];
const handlers: Readonly<Record<string, EndpointHandler>> = {
  body: async ({ request, caller, ending }) => void (await readBody(request, limits, caller, ending)),
  form: async ({ request, caller, ending }) => void (await bufferForm(request, form, caller, ending)),
  stream: async ({ answer, facts }) => {
    facts.refusal = new Failure("insufficient_quota");
    answer.end("the end of a stream");
  },
  wait: async ({ ending }) => {
    await once(ending, "abort");
    throw new Error("an error because the call was ended");
  },
};
const handle: EndpointHandler = (call) => {
  responses.push(call.response);
  return handlers[call.query.get("handler") ?? ""]?.(call) ?? Promise.reject(new Failure("unknown_url"));
};
let server: TestServer;
beforeAll(async () => {
  server = await startHttpServer(
    areaHandler({
      area: "media",
      secrets: [secret],
      log,
      refused: { add: (_, { code }) => void refusals.push(code) },
      handlers: { imageGenerations: handle, imageEdits: handle, imageVariations: handle },
    }),
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Sends the beginning of a request, and waits until its handler runs. */
async function send(handler: string, head: readonly string[], body = "") {
  const caller = signCaller(secret, {
    accountId: "a",
    tokenId: "t",
    group: "g",
    requestId: "r",
    expiresAt: Math.floor(Date.now() / 1_000) + 60,
  });
  const lines = [`POST /v1/images/edits?handler=${handler} HTTP/1.1`, "host: a", `${headers.caller}: ${caller}`];
  const socket = connect(server.port, "127.0.0.1");
  socket.write(`${[...lines, ...head].join("\r\n")}\r\n\r\n${body}`);
  await expect.poll(() => responses.length).toBe(1);
  const [response] = responses.splice(0);
  if (response === undefined) throw new Error("no call");
  return { socket, response };
}

const refusal = /^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*"code":"server_overloaded"/;

test.each([
  ["body", []],
  ["form", ["content-type: multipart/form-data; boundary=x"]],
])("a call whose %s has not arrived is refused when the gateway ends it", async (handler, head) => {
  const { socket, response } = await send(handler, ["content-length: 100", "connection: close", ...head], "some");
  endCall(response, restartFailure());
  expect(await text(socket)).toMatch(refusal);
  expect(limits.budget.usedBytes).toBe(0);
});

test("the edge's notice on a call's connection ends the call: its handler gets the gateway's failure", async () => {
  const { socket } = await send("wait", ["content-length: 0"]);
  // The end of the connection would be a client that disconnects.
  socket.write(shutdownRequest);
  let answers = "";
  for await (const chunk of socket) {
    answers += String(chunk);
    if (answers.includes("HTTP/1.1 204 ")) break;
  }
  expect(answers).toMatch(refusal);
  expect(answers).toMatch(/HTTP\/1\.1 204 /);
});

test("a stream that ends with a failure is recorded as refused", async () => {
  const { socket } = await send("stream", ["content-length: 0", "connection: close"]);
  expect(await text(socket)).toContain("the end of a stream");
  await vi.waitFor(() => expect(refusals).toContain("insufficient_quota"), 60_000);
});
