import { bodies, endpointIds, endpointOf, type EndpointId } from "@modelgate/contracts";
import { openaiModel, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { Answer, Sending } from "../../chaos/exchange.ts";
import { json, type Handler } from "../vendor.ts";
import { honestText, picture, sound, vectors } from "./wires.ts";

/** Requests per endpoint, concurrent requests, and time in ms after which no further one begins. */
const [perEndpoint, concurrentClients, longestMs] = [70, 8, 60_000];
/** A fixed seed gives every run the same requests. */
const seed = 20_261_122;

/** Creates a generator of numbers from 0 to 1 (mulberry32). */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Random = () => number;
const pickRandom = <T>(random: Random, list: readonly [T, ...T[]]): T =>
  list[Math.floor(random() * list.length)] ?? list[0];

const nestedList = (depth: number): unknown => (depth === 0 ? 1 : [nestedList(depth - 1)]);
/** Values that often cause errors. */
const unusualValues: readonly [unknown, ...unknown[]] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  2 ** 53,
  "",
  "\u0000",
  "\ud800",
  "😀".repeat(500),
  "x".repeat(100_000),
  "../../etc/passwd",
  "%00%0d%0a",
  '{{simulate: {"status": 500}}}',
  [],
  {},
  [null],
  [[[]]],
  { type: "nothing" },
  { constructor: { prototype: { admin: true } } },
  nestedList(300),
  Array.from({ length: 2_000 }, (_, at) => at),
  Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, at])),
];

const validValues: Readonly<Record<string, readonly [unknown, ...unknown[]]>> = {
  messages: [[{ role: "user", content: "Hi" }], [{ role: "user", content: [{ type: "text", text: "Hi" }] }]],
  input: ["Hi", [{ role: "user", content: "Hi" }]],
  contents: [[{ role: "user", parts: [{ text: "Hi" }] }]],
  content: [{ parts: [{ text: "Hi" }] }],
  prompt: ["a fox"],
  query: ["which"],
  documents: [["one", "two"]],
  stream: [true, false],
  max_tokens: [10],
  n: [1, 2],
  voice: ["alloy"],
  seconds: ["4"],
  size: ["64x64", "1280x720"],
};

const pickUnusualValue = (random: Random): unknown => pickRandom(random, unusualValues);

/** Creates a body that roughly follows the endpoint's schema. */
function bodyOf(random: Random, id: EndpointId, model: string): Record<string, unknown> {
  const { schema } = endpointOf(id);
  const known = schema === undefined ? [] : Object.keys(propertiesOf(bodies[schema]));
  const body: Record<string, unknown> = {};
  for (const name of new Set(["model", ...known])) {
    const draw = random();
    if (name === "model") body[name] = draw < 0.9 ? model : pickUnusualValue(random);
    else if (validValues[name] !== undefined && draw < 0.7) body[name] = pickRandom(random, validValues[name]);
    else if (draw < 0.85) body[name] = pickUnusualValue(random);
  }
  if (random() < 0.3)
    body[pickRandom(random, ["tools", "metadata", "response_format", "__proto__x", "usage"])] =
      pickUnusualValue(random);
  return body;
}

function propertiesOf(schema: object): object {
  return "properties" in schema && typeof schema.properties === "object" && schema.properties !== null
    ? schema.properties
    : {};
}

const [slashes, long] = [["..", "%2e%2e", "a%2fb"], "y".repeat(3_000)] as const;
const parameters = ["x", ...slashes, "%00", "%ff", long, "__proto__", "%F0%9F%98%80", "resp_1"] as const;
const json16 = "application/json; charset=utf-16";
const types = ["text/plain", json16, "multipart/form-data", "multipart/form-data; boundary=x", "", "a/b"] as const;
const encodings = ["gzip", "zstd", "br", "identity, gzip", "nothing"] as const;

/** Creates a request with random path parameters, query and body. */
function requestOf(random: Random, id: EndpointId, model: string): Sending {
  const { method, path, body } = endpointOf(id);
  const place = path.replaceAll(/\{model\}/g, () => (random() < 0.7 ? model : pickRandom(random, parameters)));
  const filled = place.replaceAll(/\{\w+\}/g, () => pickRandom(random, parameters));
  const query =
    random() < 0.2
      ? pickRandom(random, ["?alt=sse", "?limit=-1", "?a[b]=c&a=d", "?%", `?after=${"z".repeat(500)}`])
      : "";
  const headers: Record<string, string> = { "anthropic-version": "2023-06-01" };
  const requestLine = {
    path: filled + query,
    method: random() < 0.05 ? pickRandom(random, ["PUT", "PATCH", "HEAD", "OPTIONS"]) : method,
  };
  if (body === "none") return { ...requestLine, headers };
  const text = JSON.stringify(bodyOf(random, id, model));
  if (random() < 0.1) headers["content-type"] = pickRandom(random, types);
  if (random() < 0.05) headers["content-encoding"] = pickRandom(random, encodings);
  return { ...requestLine, headers, body: random() < 0.08 ? text.slice(0, Math.floor(text.length * random())) : text };
}

/** Describes an error that no request may cause, or returns undefined. */
function faultOf(id: EndpointId, { status, end, body, headers }: Answer): string | undefined {
  if (end !== "whole") return `${id}: ${end}`;
  if (status === 500) return `${id}: 500 ${/"message":"([^"]{0,80})/.exec(body)?.[1] ?? ""}`;
  const type = headers["content-type"];
  if (status >= 400 && body !== "" && !String(type).includes("json")) return `${id}: ${status} that is no JSON`;
  return undefined;
}

const refuseRequest: Handler = (_, response) => json(response, { error: { message: "No." } }, 400);
/** Vendors by kind of model. Some of their answers are errors. */
const vendors: Readonly<Record<string, Handler>> = {
  chat: honestText,
  completion: honestText,
  embedding: vectors(1),
  image: picture,
  speech: sound,
  video: refuseRequest,
};
const price = { input: 1, output: 1, request: 0.0001 };
const models = Object.entries(vendors).map(([kind, answers]) => openaiModel(kind, kind, price, answers));

function modelFor(context: AttackContext, random: Random, id: EndpointId): string {
  const [kind = "chat"] = endpointOf(id).kinds ?? [];
  return context.model(random() < 0.9 && kind in vendors ? kind : "chat");
}

/** Attack by random requests to every endpoint. */
export const fuzzAttacks: readonly Attack[] = [
  {
    id: "fuzz",
    name: "sends fuzzed requests to every endpoint",
    area: "text",
    models,
    async run(context) {
      const random = randomOf(seed);
      const ids = endpointIds.filter((id) => endpointOf(id).webSocket !== true);
      const queue = Array.from({ length: perEndpoint }, () => ids).flat();
      const faults = new Map<string, number>();
      const statuses = new Map<number, number>();
      const end = Date.now() + longestMs;
      let sent = 0;
      const client = async (): Promise<void> => {
        for (let id = queue.pop(); id !== undefined && Date.now() < end; id = queue.pop()) {
          sent++;
          const answer = await context.send(requestOf(random, id, modelFor(context, random, id)));
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          const fault = faultOf(id, answer);
          if (fault !== undefined) faults.set(fault, (faults.get(fault) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: concurrentClients }, client));
      const shown = [...statuses]
        .toSorted(([some], [others]) => some - others)
        .map(([status, count]) => `${count} × ${status}`);
      return attackResult(
        `${sent} requests of ${ids.length} endpoints`,
        shown.join(", "),
        [...faults].map(([what, count]) => `${count} × ${what}`),
      );
    },
  },
];
