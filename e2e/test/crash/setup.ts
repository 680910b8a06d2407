import {
  openSlowProxy,
  startLocalBackends,
  startSuite,
  type LocalBackends,
  type SlowProxy,
  type Suite,
} from "@modelgate/testkit";
import { startDiscardingVendor } from "../../bench/large-upload.ts";
import { films, quickLimits } from "../../../services/video/test/films.ts";
import { channel, config as baseConfig, rival } from "../suite-client.ts";

/** Key of an account for a stream that extends its hold. */
export const growingKey = "sk-growing-0123456789abcdef";

const configOf = (discardingVendor: string) => ({
  ...baseConfig,
  models: {
    ...films.models,
    ...baseConfig.models,
    growing: { kind: "chat", price: { input: 1, output: 10 } },
    tokens: { kind: "image", price: { input: 10, output: 40 } },
    "tts-events": { kind: "speech", price: { input: 0.6, outputAudio: 12 } },
    live: { kind: "realtime", price: { input: 4, output: 100 } },
    talk: { kind: "realtime", price: { second: 0.01 } },
    scribe: { kind: "transcription", price: { second: 0.000001 } },
  },
  channels: [
    ...baseConfig.channels,
    // The first one also serves the model `chat`.
    ...films.channels.slice(1),
    channel("openai-films", ["film-openai"]),
    channel("growing", ["growing"], { wires: ["chat"] }),
    channel("media", { tokens: "gpt-image-1", "tts-events": "tts" }),
    channel("voice", ["live"]),
    channel("scribe", ["scribe"], { baseUrl: `${discardingVendor}/v1` }),
    channel("talk", { talk: "gpt-live-1" }),
  ],
  accounts: {
    ...films.accounts,
    rival: rival.account,
    growing: { balance: "1", tokens: [{ key: growingKey, group: "default" }] },
  },
});

/** Suite whose processes and stores can be killed. */
export interface CrashSetup extends AsyncDisposable {
  readonly suite: Suite<LocalBackends>;
  /** Proxy between control and Redis. */
  readonly redisOfControl: SlowProxy;
}

/** Starts the suite with short leases, and with small steps by which holds are extended. */
export async function openCrashSetup(): Promise<CrashSetup> {
  await using opening = new AsyncDisposableStack();
  const backends = await startLocalBackends();
  const redisOfControl = opening.use(await openSlowProxy(Number(new URL(backends.redisUrl).port)));
  const vendor = opening.use(await startDiscardingVendor());
  const suite = opening.use(
    await startSuite({
      backends,
      shape: "apart",
      config: configOf(vendor.url),
      envOf: { control: { REDIS_URL: `redis://127.0.0.1:${redisOfControl.port}` } },
      limits: {
        edge: { seatLeaseMs: 2_000 },
        text: {
          responses: { background: { leaseMs: 3_000 } },
          relay: { limits: { stepTokens: 256 } },
        },
        control: { redis: { timeoutMs: 500 } },
        relay: { limits: { leaseMs: 3_000 } },
        realtime: { slice: { audioSeconds: 0, textTokens: 100 }, sessions: { lastUsageMs: 1_000, settlementMs: 500 } },
        video: { ...quickLimits.video, pace: { ...quickLimits.video.pace, longestMs: 300 } },
        // Longer than the pause between two settlement attempts.
        ledger: { rounds: { afterOutageMs: 4_000 } },
      },
    }),
  );
  const open = opening.move();
  return { suite, redisOfControl, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Kills a service. */
export async function kill({ suite }: CrashSetup, name: "text" | "media" | "audio" | "video" | "realtime" | "edge") {
  suite.process(name).signal("SIGKILL");
  await suite.process(name).ended;
}
