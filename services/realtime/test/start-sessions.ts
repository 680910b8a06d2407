import type { UsageEvent } from "@modelgate/contracts";
import { until } from "@modelgate/testkit";
import { startArea, type Area, type AreaOptions } from "../../../libs/relay/test/area.ts";
import { channel, keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { openSessionAt, refusalAt, textOnly, type TestSession } from "./session-client.ts";

export { channel, keys };

/** Prices at which every unit shows in the sum. */
export const price = { input: 4, cachedInput: 0.4, output: 16, inputAudio: 32, outputAudio: 64, second: 0.0001 };

/** A short wait for a vendor, and little money held. */
export const limits = {
  realtime: { sessions: { firstEventMs: 500 }, slice: { audioSeconds: 1, textTokens: 100 } },
};

/** Returns a channel to an instance of the simulator that speaks Gemini's live format. */
export function geminiChannel(id: string, models: readonly string[] | Record<string, string>, more: object = {}) {
  return { ...channel(id, models), provider: "gemini", baseUrl: `\${SIMULATOR_URL}/at/${id}/gemini`, ...more };
}

/** The parts of a configuration that differ from test to test. */
interface SessionsSetup extends Pick<AreaOptions, "env" | "limits"> {
  readonly models: object;
  readonly channels: readonly object[];
  readonly accounts?: object;
}

/** Starts the realtime service for accounts of ten dollars and of five cents. */
export function startSessions({ models, channels, accounts, ...options }: SessionsSetup): Promise<Area> {
  const groups = { default: { models: ["*"] }, thrifty: { models: ["*"], limits: { tokensPerMinute: 100 } } };
  return startArea(service, {
    ...options,
    config: {
      groups,
      models: { chat: { kind: "chat", price: { input: 1 } }, ...models },
      channels,
      accounts: {
        demo: {
          balance: "10.00",
          tokens: [
            { key: keys.demo, group: "default" },
            { key: keys.narrow, group: "default", models: ["chat"] },
            { key: keys.thrifty, group: "thrifty" },
          ],
        },
        poor: { balance: "0.05", tokens: [{ key: keys.poor, group: "default" }] },
        ...accounts,
      },
    },
  });
}

/** Opens a session by hand; rejects with the refusal where it is refused. */
export function openSession(
  area: Area,
  { model, key = keys.demo, headers }: { model?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<TestSession> {
  return openSessionAt(area.url, model, { authorization: `Bearer ${key}`, ...headers });
}

/** Opens a session whose answers are text. */
export async function textSession(area: Area, model = "live", key: string = keys.demo): Promise<TestSession> {
  const session = await openSession(area, { model, key });
  session.send(textOnly);
  await session.next("session.updated");
  return session;
}

/** Returns the answer to an opening handshake that is refused. */
export const refusal = (area: Area, path: string, headers: Record<string, string>, key: string = keys.demo) =>
  refusalAt(area.url + path, { authorization: `Bearer ${key}`, ...headers });

/** Waits until a model has so many usage events. */
export function usageEvents(area: Area, model: string, count: number): Promise<readonly UsageEvent[]> {
  return until(`${count} events of ${model}`, async () => {
    const found = (await area.events()).filter((event) => event.model === model);
    return found.length >= count && found;
  });
}

/** Waits until the newest session of an instance of the simulator is closed; what it has seen of it. */
export function vendorsEnd(area: Area, instance = "voice") {
  return until("the vendor's end", async () => {
    const seen = (await area.simulator.requests(instance)).at(-1);
    return seen?.closeCode !== undefined && seen;
  });
}
