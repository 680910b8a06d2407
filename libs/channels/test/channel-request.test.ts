import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { isReservedHeader, videoWires } from "@modelgate/contracts";
import { providers, type VendorRequest } from "@modelgate/providers";
import { runToEnd } from "@modelgate/formats/json";
import { prepareChannelRequest, type RequestRoute } from "../src/channel-request.ts";

const json = { "content-type": "application/json", "x-tenant": "client" };
const requestOf = (body: string, headers: Readonly<Record<string, string>> = json) =>
  ({ url: new URL("https://v.example/v1/chat"), method: "POST", headers, body: Buffer.from(body) }) as const;
const route = (channel: Partial<RequestRoute["channel"]>, provider: RequestRoute["provider"] = {}): RequestRoute => ({
  channel: { baseUrl: "https://v.example", ...channel },
  key: { secret: "k" },
  provider,
});
const options = { timeoutMs: 1_000, addsMembers: true };
const bodyOf = async (body: string, channel: Partial<RequestRoute["channel"]>, headers = json) =>
  textOf(await prepareChannelRequest(requestOf(body, headers), route(channel), options));
/** Text of a body in memory; undefined for another body. */
const textOf = ({ body }: Pick<VendorRequest, "body">): string | undefined =>
  Buffer.isBuffer(body) ? body.toString() : undefined;

test("a channel's headers replace those of the request, but not those of the trace", async () => {
  const headers = { "x-tenant": "ours", "x-new": "1" };
  const trace = { ...options, headers: { traceparent: "t" } };
  const channel = { headers: { ...headers, traceparent: "channel" } };
  const request = await prepareChannelRequest(requestOf("{}"), route(channel), trace);
  expect(request.headers).toEqual({ ...json, ...headers, traceparent: "t" });
  expect(request.added).toEqual(["headers.x-tenant", "headers.x-new"]);
});

test("defaults fill missing members of a body, and force replaces existing ones; every other byte is kept", async () => {
  const channel = { defaults: { user: '"ours"', store: "false" }, force: { provider: '{"zdr":true}' } };
  expect(await bodyOf('{ "user":"client",  "x": 1.0 }', channel)).toBe(
    '{ "user":"client",  "x": 1.0 ,"store":false,"provider":{"zdr":true}}',
  );
  expect(await bodyOf('{"provider":1,"user":null,"provider":2,"store":true}', channel)).toBe(
    '{"provider":{"zdr":true},"user":null,"provider":{"zdr":true},"store":true}',
  );
});

test.each<[string, Partial<RequestRoute["channel"]>, string, readonly string[] | undefined]>([
  ["nothing", {}, "{}", undefined],
  ["headers", { headers: { "x-tenant": "secret", "x-new": "1" } }, "{", ["headers.x-tenant", "headers.x-new"]],
  ["defaults that the body does not have", { defaults: { user: '"u"', store: "1" } }, '{"user":1}', ["defaults.store"]],
  ["forced members", { headers: { "x-a": "1" }, force: { n: "1" } }, '{"n":2}', ["headers.x-a", "force.n"]],
  ["a forced member that is a default too", { defaults: { n: "1" }, force: { n: "2" } }, "{}", ["force.n"]],
])("the names of what was added to a request are known, without values: %s", async (_, channel, body, added) => {
  const request = await prepareChannelRequest(requestOf(body), route(channel), options);
  expect(request.added).toEqual(added);
});

test("a request that starts no answer, such as a poll or a cancellation, does not get these members", async () => {
  const channel = { headers: { "x-tenant": "ours" }, defaults: { user: '"ours"' }, force: { provider: "{}" } };
  const request = await prepareChannelRequest(requestOf("{}"), route(channel), { timeoutMs: 1_000 });
  expect([textOf(request), request.headers["x-tenant"]]).toEqual(["{}", "ours"]);
});

test("a body that is not JSON is sent unchanged", async () => {
  const channel = { force: { user: '"ours"' } };
  const form = { ...json, "content-type": "multipart/form-data; boundary=x" };
  expect(await bodyOf("--x--", channel, form)).toBe("--x--");
});

test("without members, neither the body nor the headers are copied", () => {
  const request = requestOf("{ not read");
  expect(prepareChannelRequest(request, route({}), options)).toMatchObject({ body: request.body });
  const { headers } = request;
  const sent = prepareChannelRequest(request, route({}), options);
  expect(sent instanceof Promise ? undefined : sent.headers).toBe(headers);
});

test("the changed body and the channel's headers are signed", async () => {
  const provider = { sign: async (request: VendorRequest) => ({ authorization: `over ${textOf(request)}` }) };
  const request = await prepareChannelRequest(requestOf("{}"), route({ force: { user: "1" } }, provider), options);
  expect([textOf(request), request.headers["authorization"]]).toEqual(['{"user":1}', 'over {"user":1}']);
});

test("a task of a vendor that signs bodies is signed with the members of the channel", async () => {
  const jimeng = providers["jimeng"];
  if (jimeng?.start === undefined) throw new Error("no such vendor");
  const key = { secret: "AK|SK" };
  const call = { baseUrl: "https://j.example", key: key.secret, nowMs: 0, wire: "jimeng-video" } as const;
  const start = { ...call, act: "start", model: "m", body: { prompt: "a" }, fromImage: false } as const;
  const channel = { baseUrl: call.baseUrl, force: { seed: "7" } };
  const request = await prepareChannelRequest(
    runToEnd(jimeng.start(start)),
    { channel, key, provider: jimeng },
    options,
  );
  expect(textOf(request)).toBe('{"prompt":"a","seed":7}');
  const hash = createHash("sha256").update('{"prompt":"a","seed":7}').digest("hex");
  expect(request.headers).toMatchObject({
    "x-content-sha256": hash,
    authorization: expect.stringContaining("Credential=AK/"),
  });
  const poll = jimeng.request({ ...call, act: "poll", task: "t/m" });
  const polled = await prepareChannelRequest(poll, { channel, key, provider: jimeng }, { timeoutMs: 1_000 });
  expect(textOf(polled)).toBe('{"req_key":"m","task_id":"t"}');
  expect(polled.headers["authorization"]).toBeDefined();
});

const answeringWires = Object.values(providers).flatMap((provider) =>
  provider.wires.filter((wire) => !videoWires.some((video) => video === wire)).map((wire) => ({ provider, wire })),
);
test.each(answeringWires)(
  "the headers with a key of $provider.name in the wire $wire are reserved",
  ({ provider, wire }) => {
    const headersWith = (key: string): Readonly<Record<string, string>> => {
      const call = { baseUrl: "https://v.example/v1/projects/p/locations/l", key, nowMs: 0, wire, model: "m" };
      return provider.request({ act: "answer", ...call, stream: false, body: Buffer.from("{}") }).headers;
    };
    const [one, other] = [headersWith("one"), headersWith("other")];
    const secret = Object.keys(one).filter((header) => one[header] !== other[header]);
    expect(secret.filter((header) => !isReservedHeader(header))).toEqual([]);
  },
);
