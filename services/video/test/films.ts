import { connect } from "nats";
import type { TaskEvent } from "@modelgate/contracts";
import { until, type Limits } from "@modelgate/testkit";
import { channel, config as baseConfig, keys } from "../../../libs/relay/test/config.ts";

/** Returns a channel to a simulated vendor that requires signatures. */
function signing(id: string, provider: string, models: readonly string[], path = ""): object {
  return channel(id, models, {
    provider,
    baseUrl: `\${SIMULATOR_URL}/at/${id}/${provider}${path}`,
    keys: [`AK${id}|AK${id}-secret`],
  });
}

const project = "/vertex/v1/projects/p/locations/us-central1";

/** Returns a channel to a vendor whose wire no client uses. */
function channelOfOtherWire(id: string, provider: string, path: string, models: Record<string, string>): object {
  return channel(id, models, { provider, baseUrl: `\${SIMULATOR_URL}/at/${id}${path}` });
}

/** Configuration with a model of each vendor; each has a different price. */
export const films = {
  ...baseConfig,
  models: {
    "film-openai": { kind: "video", price: { second: 0.1 } },
    "film-compatible": { kind: "video", price: { second: 0.2 } },
    "film-kling": { kind: "video", price: { second: 0.3, request: 0.05 } },
    "film-jimeng": { kind: "video", price: { second: 0.4 } },
    "film-veo": { kind: "video", price: { second: 0.35 } },
    "film-vertex": { kind: "video", price: { second: 0.4 } },
    "film-bucket": { kind: "video", price: { second: 0.5 } },
    "film-wan": { kind: "video", price: { second: 0.15 } },
    "film-wan-former": { kind: "video", price: { second: 0.1 } },
    "film-seedance": { kind: "video", price: { second: 0.2, request: 0.05 } },
    "film-two": { kind: "video", price: { second: 0.1 } },
    chat: { kind: "chat", price: { input: 1 } },
  },
  channels: [
    channel("openai-films", ["film-openai", "chat"]),
    channel("compatible", ["film-compatible"], { wires: ["video-generations"] }),
    signing("kling", "kling", ["film-kling"]),
    signing("jimeng", "jimeng", ["film-jimeng"], "/"),
    channelOfOtherWire("veo", "gemini", "/gemini", { "film-veo": "veo-3.1-generate-preview" }),
    channelOfOtherWire("vertex-films", "vertex", project, { "film-vertex": "veo-3.1-generate-001" }),
    channelOfOtherWire("vertex-bucket", "vertex", `${project}?storageUri=gs://films/made/`, {
      "film-bucket": "veo-2.0-generate-001",
    }),
    channelOfOtherWire("wan", "qwen", "/dashscope/api/v1", {
      "film-wan": "wan2.7-t2v",
      "film-wan-former": "wan2.6-t2v",
    }),
    channelOfOtherWire("seedance", "volcengine", "/ark/api/v3", { "film-seedance": "doubao-seedance-1-0-pro-250528" }),
    channel("first", ["film-two"], { priority: 1 }),
    channel("second", ["film-two"]),
  ],
  accounts: {
    ...baseConfig.accounts,
    demo: { ...baseConfig.accounts.demo, balance: "1000.00" },
  },
};

/** Limits with short intervals between polls. */
export const quickLimits = {
  video: { pace: { firstMs: 20, longestMs: 60 }, tasks: { roundMs: 20, leaseMs: 800, followMs: 10 } },
} as const satisfies Limits;

/** Environment that allows callbacks to this machine. */
export const callbacksHere = { CALLBACK_HOSTS: "127.0.0.1" };

/** Server that is called: a service, or the edge before it. */
type CalledServer = { readonly url: string };

export async function ask(
  { url }: CalledServer,
  path: string,
  body?: unknown,
  { key = keys.demo, method = body === undefined ? "GET" : "POST", headers = {} }: AskOptions = {},
): Promise<{ readonly status: number; readonly json: any; readonly headers: Headers }> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

interface AskOptions {
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Waits until a task has ended, and returns it as GET /v1/videos does. */
export function ended(at: CalledServer, id: string, key: string = keys.demo): Promise<any> {
  return until(`${id} to end`, async () => {
    const { json } = await ask(at, `/v1/videos/${id}`, undefined, { key });
    return ["completed", "failed"].includes(json.status) && json;
  });
}

/** Returns all task events in JetStream, in order. */
export async function taskEvents(natsUrl: string): Promise<readonly TaskEvent[]> {
  const connection = await connect({ servers: natsUrl });
  try {
    const management = await connection.jetstreamManager();
    const { state } = await management.streams.info("TASKS");
    const allEvents: TaskEvent[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq++)
      allEvents.push((await management.streams.getMessage("TASKS", { seq })).json());
    return allEvents;
  } finally {
    await connection.close();
  }
}

/** Returns a prompt with a directive for a simulated vendor. */
export const promptWith = (behaviour: object): string => `A boat. {{simulate: ${JSON.stringify(behaviour)}}}`;
