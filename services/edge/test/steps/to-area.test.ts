import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { createLogger, startSpan, type LocalArea } from "@modelgate/platform";
import { AreaProxy } from "../../src/area-proxy.ts";
import { matchEndpoint } from "../../src/steps/endpoint.ts";
import { toArea } from "../../src/steps/to-area.ts";
import { callOf, run, token } from "./call.ts";

const { log } = createLogger("test", "silent");

/** Returns the headers that an area receives of a call with these headers. */
async function passed(headers: Readonly<Record<string, string>>, proxies: number): Promise<IncomingHttpHeaders> {
  using proxy = new AreaProxy({ urls: {}, log, silenceMs: 1_000, streamSilenceMs: 1_000 });
  let received: IncomingHttpHeaders = {};
  const area: LocalArea = {
    take({ request }) {
      received = request.headers;
    },
    takeUpgrade: () => Promise.resolve(101),
  };
  const call = callOf({ headers });
  await run(call, matchEndpoint);
  const { context } = call;
  context.span = startSpan({ name: "test", kind: "server", parent: undefined });
  context.caller = {
    accountId: token.accountId,
    tokenId: token.id,
    group: token.group,
    requestId: context.requestId,
    expiresAt: 0,
  };
  await run(call, toArea({ areas: new Map([["text", area]]), proxy, secret: "a secret of some length", proxies }));
  return received;
}

test.each([
  [0, undefined],
  [1, "https"],
])("behind %i proxies, an area receives the scheme %s of the client's request", async (proxies, scheme) => {
  expect((await passed({ "x-forwarded-proto": "https" }, proxies))["x-forwarded-proto"]).toBe(scheme);
});

test("an area receives no other headers that a client may not set", async () => {
  const received = await passed({ "x-forwarded-for": "192.0.2.1", cookie: "a=b", accept: "text/plain" }, 1);
  expect(received).toMatchObject({ accept: "text/plain" });
  expect(received).not.toHaveProperty("cookie");
  expect(received).not.toHaveProperty("x-forwarded-for");
});
