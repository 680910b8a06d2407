import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { shapes, startSuite, until, type Shape, type Suite } from "@modelgate/testkit";
import { drainTests } from "./drain.ts";
import { storedEvents } from "./events.ts";
import { moneyRaceTests } from "./money-race.ts";
import {
  another,
  config as baseConfig,
  hello,
  keys,
  patientWithRedis,
  post,
  settledMoney,
  startInShapes,
} from "./suite-client.ts";

const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
const message = { ...hello("chat"), max_tokens: 50 };
const calls: Readonly<Record<string, readonly [path: string, body?: object | string]>> = {
  chat: ["/v1/chat/completions", hello("chat")],
  "chat, streamed": ["/v1/chat/completions", { ...hello("chat"), stream: true }],
  completions: ["/v1/completions", { model: "chat", prompt: "Hello" }],
  responses: ["/v1/responses", { model: "chat", input: "Hello", store: false }],
  "responses, streamed": ["/v1/responses", { model: "chat", input: "Hello", store: false, stream: true }],
  messages: ["/v1/messages", message],
  "messages, streamed": ["/v1/messages", { ...message, stream: true }],
  content: ["/v1beta/models/chat:generateContent", { contents }],
  "content, streamed": ["/v1beta/models/chat:streamGenerateContent?alt=sse", { contents }],
  image: ["/v1/images/generations", { model: "sketch", prompt: "a fox", size: "64x64" }],
};
const refusals: typeof calls = {
  models: ["/v1/models"],
  "an unknown model": ["/v1/chat/completions", hello("nothing")],
  "a body that is not JSON": ["/v1/messages", "{"],
  "a body without messages": ["/v1/chat/completions", { model: "chat" }],
  "an unknown path": ["/v1/nothing", {}],
  "an endpoint that is only declared": ["/v1/fine-tunes"],
  "an area that this deployment does not run": ["/v1/audio/speech", { model: "tts", input: "Hello", voice: "a" }],
};

/** Parts of an answer that must be equal in both deployments. Ids, times and ports in the body are replaced. */
interface Seen {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

async function ask(suite: Suite, [path, body]: readonly [string, (object | string)?], id: string): Promise<Seen> {
  const answer = await fetch(suite.edgeUrl + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-request-id": id,
      origin: "https://app.example",
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const changing =
    /"responseId":"[^"]*"|127\.0\.0\.1:\d+|[a-z]+[_-][A-Za-z0-9_-]{12,}|[_-]sim\w+|\d{9,}|"obfuscation":"[^"]*"|"[\w-]{20,}"/g;
  return { status: answer.status, headers: [...answer.headers.keys()].sort(), body: text.replaceAll(changing, "…") };
}

const answers: Record<string, Record<string, Seen>> = { one: {}, apart: {} };

let suites: Readonly<Record<Shape, Suite>>;
beforeAll(async () => {
  // A reused process may run all services, and would then serve the area that this deployment does not run.
  suites = await startInShapes((shape) =>
    startSuite({
      ...(shape === "one" ? { fresh: true } : {}),
      shape,
      config: baseConfig,
      // Shorter than the answers of the last tests, so that the services end these calls themselves.
      env: { DRAIN_MS: "4000" },
      limits: patientWithRedis,
    }),
  );
});
afterAll(() => Promise.all(Object.values(suites ?? {}).map((suite) => suite[Symbol.asyncDispose]())));

test("250 simultaneous calls to services that have just started are all served", async () => {
  const answers = await Promise.all(Array.from({ length: 250 }, () => post(suites.apart, another("fixed"))));
  const refused = await Promise.all(answers.filter(({ ok }) => !ok).map((answer) => answer.text()));
  expect(refused).toEqual([]);
});

// redis-cluster.test.ts has these tests in one process.
moneyRaceTests(() => suites.apart);

describe.each(shapes)("services %s", (shape) => {
  let suite: Suite;
  beforeAll(() => {
    suite = suites[shape];
  });

  test.each(Object.entries(calls))("%s is answered, charged once, and recorded as one event", async (name, call) => {
    const id = `${shape}-${name.replaceAll(/\W+/g, "-")}`;
    const answer = await ask(suite, call, id);
    answers[shape] = { ...answers[shape], [name]: answer };
    expect(answer.status).toBe(200);
    const events = await until("its event", async () => {
      const all = (await storedEvents(suite.backends.natsUrl)).filter(({ event }) => event.requestId === id);
      return all.length > 0 && all;
    });
    expect(events.map(({ event }) => event.outcome)).toEqual(["completed"]);
    expect((await settledMoney(suite)).spentNanos).toMatch(/^[1-9]/);
  });

  test.concurrent.each(Object.entries(refusals))("%s", async (name, call) => {
    const answer = await ask(suite, call, `refused-${name.replaceAll(/\W+/g, "-")}`);
    answers[shape] = { ...answers[shape], [name]: answer };
    expect(answer.status < 300).toBe(name === "models");
  });

  test.concurrent("a WebSocket for an area that is not served gets an HTTP error", async () => {
    const url = `${suite.edgeUrl.replace("http", "ws")}/v1/realtime?model=live`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${keys.demo}` } });
    socket.on("error", () => undefined);
    const [, response] = await once(socket, "unexpected-response");
    expect([501, 503]).toContain(response.statusCode);
  });

  test("a call is counted once at the edge, and has one log line in each process", async () => {
    const id = `counted-once-${shape}`;
    const counted = async (): Promise<number> => {
      const metrics = await (await fetch(`${suite.opsUrl("edge")}/metrics`)).text();
      const line = /^http_server_request_duration_seconds_count\{[^}]*"\/v1\/completions"[^}]*\} (\d+)$/m.exec(metrics);
      return Number(line?.[1] ?? 0);
    };
    const before = await counted();
    await ask(suite, ["/v1/completions", { model: "chat", prompt: "Hello" }], id);
    await until("it to be counted", async () => (await counted()) > before);
    expect(await counted()).toBe(before + 1);
    const processes = [...new Set([suite.process("edge"), suite.process("text")])];
    const messages = await until("its lines", () => {
      const found = processes.map((each) => linesWith(each.logs(), id));
      return found.every((lines) => lines.length > 0) && found;
    });
    expect(messages).toEqual(processes.length === 1 ? [["call"]] : [["request"], ["call"]]);
  });

  test("internal headers from clients are ignored", async () => {
    const answer = await fetch(`${suite.edgeUrl}/v1/models`, { headers: { "x-modelgate-caller": "e30.x" } });
    expect(answer.status).toBe(401);
  });

  test("readiness lists each service of the process", async () => {
    const words = await (await fetch(`${suite.opsUrl("edge")}/readyz`)).text();
    expect(words).toBe(
      shape === "apart" ? "edge: ready\n" : "edge: ready\ntext: ready\nmedia: ready\nledger: ready\ncontrol: ready\n",
    );
  });
});

test.each(Object.keys({ ...calls, ...refusals }))("clients get the same answers: %s", (name) => {
  if (name === "an area that this deployment does not run") return; // the status differs: unavailable, or not served
  expect(answers["one"]?.[name]).toEqual(answers["apart"]?.[name]);
});

drainTests(() => suites);

function linesWith(log: string, text: string): readonly string[] {
  return log
    .split("\n")
    .filter((line) => line.includes(text))
    .map((line) => /"msg":"([^"]*)"/.exec(line)?.[1] ?? line);
}
