import type { Load } from "../load.ts";
import { options } from "../options.ts";
import type { Gateway } from "./gateways.ts";
import { models } from "./stub-models.ts";

const words = "A question of about one kilobyte. ".repeat(30);
const wholeBody = bodyOf({ model: models.burst, stream: false }, words);
const streaming = { stream: true, stream_options: { include_usage: true } };
/** A conversation of 1 MB. */
const [largeMessages, largeWords] = [255, "x".repeat(4_096)];
const large = JSON.stringify({
  model: models.burst,
  stream: false,
  messages: Array.from({ length: largeMessages }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: largeWords,
  })),
});

const burstBody = bodyOf({ model: models.burst, ...streaming }, words);
const fourChats = Array.from({ length: 4 }, () => wholeBody);

function bodyOf(head: object, content: string): string {
  return JSON.stringify({ ...head, messages: [{ role: "user", content }] });
}

interface Kind extends Pick<Load, "body" | "others" | "connections" | "rate"> {
  readonly what: string;
  readonly seconds: number;
  /** Path that only modelgate supports. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const scale = options.quick ? 0.4 : 1;

export const kinds = {
  chat: { what: "a chat request, saturated", body: wholeBody, connections: 32, seconds: 6 * scale },
  steady: { what: "a chat request at 300/s", body: wholeBody, connections: 32, seconds: 6 * scale, rate: 300 },
  burst: {
    what: "a stream of 100 events in bursts",
    body: burstBody,
    connections: 32,
    seconds: 5 * scale,
  },
  spaced: {
    what: "a stream of 100 events, 10 ms apart, 50 at once",
    body: bodyOf({ model: models.spaced, ...streaming }, words),
    connections: 50,
    seconds: 5 * scale,
  },
  converted: {
    what: "the same in bursts, for a client of the messages wire",
    body: bodyOf({ model: models.burst, stream: true, max_tokens: 1_000 }, words),
    connections: 32,
    seconds: 5 * scale,
    path: "/v1/messages",
    headers: { "alpha-version": "2023-06-01" },
  },
  large: { what: "a body of 1 MB", body: large, connections: 4, seconds: 4 * scale },
  mixed: {
    what: "mixed: a stream in bursts, then four chat requests",
    body: burstBody,
    others: fourChats,
    connections: 32,
    seconds: 6 * scale,
  },
} as const satisfies Readonly<Record<string, Kind>>;
export type KindName = keyof typeof kinds;

/** Returns the load for a gateway; undefined if the gateway does not support it. */
export function loadOf(name: KindName, gateway: Gateway): Load | undefined {
  const kind: Kind = kinds[name];
  if (kind.path !== undefined && !gateway.isOurs) return undefined;
  const url = `${gateway.address}${kind.path ?? "/v1/chat/completions"}`;
  const headers = { ...gateway.headers, ...kind.headers, "content-type": "application/json" };
  const { connections, seconds, rate } = kind;
  const [body = "", ...others] = [kind.body, ...(kind.others ?? [])].map((each) =>
    withPrefix(each, gateway.modelPrefix),
  );
  return { url, headers, body, others, connections, seconds, rate };
}

/** Adds a prefix to the model, which is the first member of a body. */
function withPrefix(body: string, prefix = ""): string {
  return body.replace(/^\{"model":"/, (start) => start + prefix);
}
