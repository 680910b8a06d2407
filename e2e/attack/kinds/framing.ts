import { formatDollars, openaiModel, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { Sending } from "../../chaos/exchange.ts";
import { honestText, textRequest } from "./wires.ts";

/** Services refuse calls without the edge's signature with this text. No client may receive it. */
const serviceRefusal = "edge has signed";

/** Request without a key inside another request. It must never be answered. */
const smuggledRequest = "GET /v1/models HTTP/1.1\r\nhost: a\r\nx-hidden: yes\r\n\r\n";

/** Requests that two HTTP parsers may interpret differently. */
function ambiguousRequests(key: string, model: string): readonly string[] {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hi" }] });
  const post = (lines: readonly string[], sent: string, line = "POST /v1/chat/completions HTTP/1.1"): string =>
    `${[line, "host: a", `authorization: Bearer ${key}`, "content-type: application/json", ...lines].join("\r\n")}\r\n\r\n${sent}`;
  const length = `content-length: ${body.length}`;
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  return [
    post([length, "transfer-encoding: chunked"], `0\r\n\r\n${smuggledRequest}`),
    post(["transfer-encoding: chunked", "content-length: 4"], `${chunks}${smuggledRequest}`),
    post([length, `content-length: ${body.length + smuggledRequest.length}`], body + smuggledRequest),
    post([`content-length: ${body.length}, ${body.length}`], body),
    post(["content-length: +5"], body),
    post(["content-length: 0x10"], body),
    post(["content-length: -1"], body),
    post([`content-length : ${body.length}`], body),
    post([" content-length: 5"], body),
    post(["transfer-encoding: xchunked"], chunks),
    post(["transfer-encoding: chunked, identity"], chunks),
    post(["transfer-encoding: identity, chunked"], chunks),
    post(["transfer-encoding: chunked", "transfer-encoding: identity"], chunks),
    post(["transfer-encoding:\u000bchunked"], chunks),
    post(["transfer-encoding : chunked"], chunks),
    post(["transfer-encoding:\r\n chunked"], chunks),
    post(
      ["transfer-encoding: chunked"],
      `${body.length.toString(16)};a="\n${smuggledRequest}"\r\n${body}\r\n0\r\n\r\n`,
    ),
    post(["transfer-encoding: chunked"], `-1\r\n${body}`),
    post(["transfer-encoding: chunked"], `fffffffffffffffff\r\n${body}`),
    post(
      ["transfer-encoding: chunked"],
      `0\r\nauthorization: Bearer other\r\ncontent-length: 5\r\n\r\n${smuggledRequest}`,
    ),
    post([length, "connection: content-length"], body + smuggledRequest),
    post([length, "connection: authorization, x-modelgate-caller"], body),
    post([length, "expect: 100-continue, 200-ok"], body),
    post(
      [length, "upgrade: h2c", "connection: upgrade, http2-settings", "http2-settings: AAMAAABkAAQAAP__"],
      body + smuggledRequest,
    ),
    post(
      [
        length,
        "upgrade: websocket",
        "connection: upgrade",
        "sec-websocket-version: 13",
        "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
      ],
      body + smuggledRequest,
    ),
    post([length, `x-a: b\nx-modelgate-caller: forged`], body),
    post([length, `x-a: b\u0000c`], body),
    post([length], body, `POST http://127.0.0.1:1/v1/chat/completions HTTP/1.1`),
    post([length], body, `POST /v1/chat/completions HTTP/1.1 HTTP/1.0`),
    post([length], body, `POST\t/v1/chat/completions\tHTTP/1.1`),
    post([length], body, `POST /v1/chat/completions HTTP/2.0`),
    post([length], body, `POST /v1/chat/completions HTTP/0.9`),
    post([length], body + smuggledRequest).replaceAll("\r\n", "\n"),
    ...unusualRequests(key),
  ];
}

const requestSmuggling: Attack = {
  id: "framing",
  name: "sends bytes that two servers may parse as different requests",
  area: "text",
  models: [openaiModel("chat", "chat", { input: 1, output: 2 }, honestText)],
  async run(context) {
    const all = ambiguousRequests(context.attacker.key, context.model("chat"));
    const failedChecks: string[] = [];
    const statuses = new Map<string, number>();
    for (const [at, bytes] of all.entries()) {
      const text = await context.sendRaw(Buffer.from(bytes, "latin1"));
      const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "closed";
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (text.includes(serviceRefusal)) failedChecks.push(`request ${at} reached a service past the edge`);
      if (status === "101") failedChecks.push(`request ${at} switched protocols`);
      if (status === "500") failedChecks.push(`request ${at} was answered 500`);
      if (/"object":\s*"list"/.test(text)) failedChecks.push(`request ${at} was served without a key`);
    }
    const calls = context.requests("chat").length;
    const shown = [...statuses].map(([status, count]) => `${count} × ${status}`).join(", ");
    return attackResult(`${all.length} requests`, `${shown}; ${calls} calls`, [
      ...failedChecks,
      calls > all.length && "a request was served twice",
    ]);
  },
};

function unusualRequests(key: string): readonly string[] {
  return [
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    `CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n${smuggledRequest}`,
    `TRACE / HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n\r\n`,
    `GET /v1/models HTTP/1.1\r\n${"x: y\r\n".repeat(5_000)}\r\n`,
    `GET /${"a".repeat(100_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
    "GET /v1/models HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
    "\r\n".repeat(1_000) + smuggledRequest,
    "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  ];
}

/** Requests without a key, or with a false identity. `as` names the account as which a request may be served. */
function unidentifiedRequests({
  attacker,
  other,
  model,
}: AttackContext): readonly (Sending & { readonly as?: "attacker" })[] {
  const call = textRequest("chat", model("chat"));
  const message = textRequest("messages", model("chat"));
  const forged = Buffer.from(
    JSON.stringify({
      accountId: other.accountId,
      tokenId: "t",
      group: "default",
      models: ["*"],
      expiresAt: 9_999_999_999,
    }),
  ).toString("base64url");
  const forgeries = [`${forged}.`, `${forged}.AAAA`, forged, `${forged}.${"A".repeat(43)}`];
  return [
    ...[
      "",
      "Bearer",
      "Bearer ",
      `Basic ${btoa(`a:${other.key}`)}`,
      `Bearer ${other.key}x`,
      `Bearer ${other.key.slice(0, -1)}`,
      `Bearer ${other.key.toUpperCase()}`,
    ].map((authorization) => ({ ...call, key: null, headers: { authorization } })),
    // Some endpoints ignore a key in these places.
    ...["x-api-key", "api-key", "x-goog-api-key"].map((name) => ({
      ...call,
      headers: { [name]: other.key },
      as: "attacker" as const,
    })),
    { ...message, headers: { ...message.headers, "x-api-key": other.key } },
    { ...call, key: null, headers: { authorization: [`Bearer ${attacker.key}`, `Bearer ${other.key}`] } },
    { ...call, path: `${call.path}?key=${other.key}`, as: "attacker" },
    { ...call, key: null, path: `${call.path}?key=${other.key}` },
    ...forgeries.flatMap((caller) => [
      { ...call, key: null, headers: { "x-modelgate-caller": caller } },
      { ...call, headers: { "X-ModelGate-Caller": caller }, as: "attacker" as const },
      { ...call, headers: { "x-modelgate-caller": [caller, caller] }, as: "attacker" as const },
    ]),
    ...[
      "x-modelgate-account",
      "x-modelgate-group",
      "x-forwarded-for",
      "x-original-url",
      "x-rewrite-url",
      "x-http-method-override",
    ].map((name) => ({ ...call, key: null, headers: { [name]: other.accountId } })),
  ];
}

/** Ambiguous paths, which must not be answered without a key. */
const paths = [
  "//v1/models",
  "/v1//models",
  "/v1/./models",
  "/v1/x/../models",
  "/v1/%2e%2e/v1/models",
  "/%76%31/models",
  "/v1/models/",
  "/v1/models%00",
  "/v1/models;a=b",
  "/v1/models%2f",
  "/V1/MODELS",
  "/v1\\models",
  "/v1/models?x=/openapi.json",
  "/openapi.json/../v1/models",
  "/openapi.json%2f..%2fv1%2fmodels",
  "/metrics",
  "/readyz",
  "/healthz/../metrics",
  "/accounts",
  "/channels",
  "/v1/responses/..%2f..%2fmetrics",
  "/delta/v1/videos/text2video/..%2f..%2f",
  "/.env",
  "/%2e%2e/%2e%2e/etc/passwd",
];

const forgedIdentity: Attack = {
  id: "identity",
  name: "calls as another account: forged headers, contradictory keys, ambiguous paths",
  area: "text",
  models: requestSmuggling.models ?? [],
  async run(context) {
    const failedChecks: string[] = [];
    const tries = unidentifiedRequests(context);
    for (const [at, { as, ...sending }] of tries.entries()) {
      const { status } = await context.send(sending);
      if (status >= 500) failedChecks.push(`try ${at} was answered ${status}`);
      if (status < 400 && as === undefined) failedChecks.push(`try ${at} was served`);
    }
    for (const path of paths) {
      const { status } = await context.send({ method: "GET", path, key: null });
      if (status < 400 || status === 500) failedChecks.push(`${path} was answered ${status} without a key`);
    }
    const spent = await context.readSpending(context.other);
    return attackResult(
      `${tries.length + paths.length} requests`,
      `${formatDollars(spent)} billed to another account`,
      [...failedChecks, spent > 0 && "another account paid"],
    );
  },
};

/** Attacks by HTTP framing and by false identities. */
export const framingAttacks: readonly Attack[] = [requestSmuggling, forgedIdentity];
