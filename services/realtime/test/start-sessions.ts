import type { UsageEvent } from "@modelgate/contracts";
import { until } from "@modelgate/testkit";
import { startArea, type Area, type AreaOptions } from "../../../libs/relay/test/area.ts";
import { channel, keys } from "../../../libs/relay/test/config.ts";
import { service } from "../src/service.ts";
import { openSessionAt, refusalAt, textOnly, type TestSession } from "./session-client.ts";

export { channel, keys };

/** Price in which every unit has a different amount, so that the cost shows which units were charged. */
export const price = { input: 4, cachedInput: 0.4, output: 16, inputAudio: 32, outputAudio: 64, second: 0.0001 };

/** Limits with small reservations. */
export const limits = { realtime: { slice: { audioSeconds: 1, textTokens: 100 } } };

/** Returns a channel to a simulator instance with Gemini's live format. */
export function geminiChannel(id: string, models: readonly string[] | Record<string, string>, more: object = {}) {
  return { ...channel(id, models), provider: "gemini", baseUrl: `\${SIMULATOR_URL}/at/${id}/gemini`, ...more };
}

interface SessionsSetup extends Pick<AreaOptions, "env" | "limits"> {
  readonly models: object;
  readonly channels: readonly object[];
  readonly accounts?: object;
}

/** Starts the realtime service, with one account of ten dollars and one of five cents. */
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

/** Opens a session without an SDK. Rejects if the gateway refuses it. */
export function openSession(
  area: Area,
  { model, key = keys.demo, headers }: { model?: string; key?: string; headers?: Record<string, string> } = {},
): Promise<TestSession> {
  return openSessionAt(area.url, model, { authorization: `Bearer ${key}`, ...headers });
}

/** Opens a session that answers with text. */
export async function textSession(area: Area, model = "live", key: string = keys.demo): Promise<TestSession> {
  const session = await openSession(area, { model, key });
  session.send(textOnly);
  await session.next("session.updated");
  return session;
}

/** Sends an opening handshake and returns its refusal. */
export const sessionRefusal = (area: Area, path: string, headers: Record<string, string>, key: string = keys.demo) =>
  refusalAt(area.url + path, { authorization: `Bearer ${key}`, ...headers });

/** Waits until a model has `count` usage events, and returns them. */
export function usageEvents(area: Area, model: string, count: number): Promise<readonly UsageEvent[]> {
  return until(`${count} events of ${model}`, async () => {
    const found = (await area.events()).filter((event) => event.model === model);
    return found.length >= count && found;
  });
}

/**
 * Waits until the newest session of a simulator instance is closed, and returns the requests that the simulator saw in
 * it.
 */
export function closedVendorSession(area: Area, instance = "voice") {
  return until("the vendor's end", async () => {
    const vendorRequest = (await area.simulator.requests(instance)).at(-1);
    return vendorRequest?.closeCode !== undefined && vendorRequest;
  });
}
