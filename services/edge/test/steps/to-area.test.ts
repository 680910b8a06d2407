import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { createLogger, startSpan, type LocalArea } from "@modelgate/platform";
import { AreaProxy } from "../../src/area-proxy.ts";
import { SharedCallers } from "../../src/shared-callers.ts";
import { matchEndpoint } from "../../src/steps/endpoint.ts";
import { toArea } from "../../src/steps/to-area.ts";
import { callOf, run, token } from "./call.ts";

const { log } = createLogger("test", "silent");

const callers = new SharedCallers("a secret of some length");
const newProxy = (): AreaProxy => new AreaProxy({ urls: {}, log, silenceMs: 1_000, streamSilenceMs: 1_000 });

/** Returns the headers that an area receives of a call with these headers. */
async function passed(headers: Readonly<Record<string, string>>, proxies: number): Promise<IncomingHttpHeaders> {
  using proxy = newProxy();
  let received: IncomingHttpHeaders = {};
  const area: LocalArea = {
    handle({ request }) {
      received = request.headers;
    },
    handleUpgrade: () => Promise.resolve(101),
  };
  const call = callOf({ headers });
  await run(call, matchEndpoint);
  const { context } = call;
  context.span = startSpan({ name: "test", kind: "server", parent: headers["traceparent"] });
  context.caller = {
    accountId: token.accountId,
    tokenId: token.id,
    group: token.group,
    requestId: context.requestId,
    expiresAt: 0,
  };
  await run(call, toArea({ areas: new Map([["text", area]]), proxy, callers, proxies }));
  return received;
}

test.each([
  [0, undefined],
  [1, "https"],
])("behind %i proxies, an area receives the scheme %s of the client's request", async (proxies, scheme) => {
  expect((await passed({ "x-forwarded-proto": "https" }, proxies))["x-forwarded-proto"]).toBe(scheme);
});

test.each([
  ["authorization"],
  ["x-api-key"],
  ["api-key"],
  ["x-goog-api-key"],
  ["x-gamma-api-key"],
  ["cookie"],
  ["x-forwarded-for"],
  ["traceparent"],
  ["x-modelgate-caller"],
  ["x-modelgate-anything"],
])("an area does not receive the header %s of a client", async (name) => {
  expect(await passed({ [name]: "a value", accept: "text/plain" }, 1)).toEqual({
    accept: "text/plain",
    "x-request-id": expect.any(String),
  });
});

test("an area receives the strict mode and the well-formed trace of a client", async () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  expect(await passed({ "x-modelgate-strict": "true", traceparent }, 1)).toMatchObject({
    "x-modelgate-strict": "true",
    traceparent,
  });
});

test("a new WebSocket is refused while the edge drains", async () => {
  using proxy = newProxy();
  proxy.isDraining = true;
  const call = callOf({ path: "/v1/realtime", isUpgrade: true });
  await expect(run(call, toArea({ areas: new Map(), proxy, callers, proxies: 0 }))).rejects.toMatchObject({
    code: "server_overloaded",
    retryAfterSeconds: 1,
  });
});
