import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { python, PythonForks, startSuite, until, wavHead, type Suite } from "@modelgate/testkit";
import { quickLimits } from "../../services/video/test/films.ts";
import { channel, config as baseConfig, hello, keys, post } from "./suite-client.ts";
import { tlsFront, type TlsFront } from "./tls-front.ts";

const root = join(import.meta.dirname, "../..");

interface Gateway {
  readonly address: string;
  readonly key: string;
  readonly model: string;
}
type Samples = (kind: Kind, gateway: Gateway, text: string) => Readonly<Record<string, string>>;
const { samplesFor }: { readonly samplesFor: Samples } = await import(
  join(root, "services/console/src/parts/code-samples.ts")
);

const kinds = ["chat", "image", "speech", "transcription", "video", "realtime"] as const;
type Kind = (typeof kinds)[number];
const models: Readonly<Record<Kind, string>> = {
  chat: "chat",
  image: "picture",
  speech: "voice",
  transcription: "ears",
  video: "film",
  realtime: "talk",
};
const config = {
  ...baseConfig,
  models: {
    ...baseConfig.models,
    picture: { kind: "image", price: { image: 0.04 } },
    film: { kind: "video", price: { second: 0.1 } },
    voice: { kind: "speech", price: { character: 0.000015 } },
    ears: { kind: "transcription", price: { second: 0.0001 } },
    talk: { kind: "realtime", price: { input: 4, output: 16, inputAudio: 32, outputAudio: 64 } },
  },
  channels: [
    ...baseConfig.channels,
    channel("films", ["film"]),
    channel("others", ["picture", "voice", "ears", "talk"]),
  ],
};

/** Programs that run the code of each client. Other clients have only settings. */
const runners: Readonly<Record<string, "bash" | "node" | "python">> = {
  curl: "bash",
  "openai (JS)": "node",
  WebSocket: "node",
  "openai (Python)": "python",
  "anthropic (Python)": "python",
  "google (Python)": "python",
  LangChain: "python",
};
const printed: Readonly<Record<Kind, string>> = {
  chat: "boat",
  image: "http",
  speech: "",
  transcription: "we heard",
  video: "",
  realtime: "response.done",
};
/** Must be quoted in a shell and in JSON. */
const prompt = `It's a "boat"`;

const samples = kinds.flatMap((kind) => {
  const model = models[kind];
  return Object.keys(samplesFor(kind, { address: "", key: "", model }, prompt))
    .filter((client) => runners[client] !== undefined)
    .map((client) => ({ kind, client, model }));
});

describe("the playground's code", { timeout: 60_000 }, () => {
  let suite: Suite;
  let front: TlsFront;
  let folder: string;
  const forks = python === undefined ? undefined : new PythonForks(python);
  beforeAll(async () => {
    suite = await startSuite({ config, limits: quickLimits });
    front = await tlsFront(suite.edgeUrl);
    // Inside e2e, so that the samples can import its packages.
    folder = mkdtempSync(join(import.meta.dirname, "../sample-"));
    writeFileSync(join(folder, "authority.pem"), front.authority);
    const silence = Buffer.concat([
      wavHead({ sampleRate: 8_000, channels: 1, bits: 16 }, 16_000),
      Buffer.alloc(16_000),
    ]);
    writeFileSync(join(folder, "recording.wav"), silence);
    await until("a first call", async () => (await post(suite, hello("chat"))).status === 200);
  }, 120_000);
  afterAll(async () => {
    await forks?.[Symbol.asyncDispose]();
    if (folder !== undefined) rmSync(folder, { recursive: true });
    await front?.[Symbol.asyncDispose]();
    await suite?.[Symbol.asyncDispose]();
  });

  function run(program: string, file: string): Promise<{ readonly status: unknown; readonly output: string }> {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "authority.pem") };
    return new Promise((resolve) => {
      execFile(program, [file], { cwd: folder, env, timeout: 50_000 }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : error.code, output: stdout + stderr });
      });
    });
  }

  test.each(samples)("of $kind runs: $client", async ({ kind, client, model }) => {
    const runner = runners[client] ?? "node";
    if (runner === "python" && forks === undefined) return;
    // This SDK opens sessions only with TLS.
    const wantsTls = kind === "realtime" && client === "openai (JS)";
    const gateway = { address: wantsTls ? front.url : suite.edgeUrl, key: keys.demo, model };
    const code = samplesFor(kind, gateway, prompt)[client] ?? "";
    const file = join(folder, `${kind}-${client.replaceAll(/\W/g, "")}.mjs`);
    writeFileSync(file, code);
    const { status, output } =
      runner === "python" && forks !== undefined
        ? await forks.run(code, { folder, env: {} })
        : await run(runner === "bash" ? "bash" : process.execPath, file);
    expect(status, output).toBe(0);
    expect(output).toContain(printed[kind]);
    const written = kind === "speech" ? "speech.mp3" : kind === "video" && client !== "curl" ? "video.mp4" : undefined;
    if (written !== undefined) rmSync(join(folder, written)); // throws if the sample has not written it
  });

  test("of a session at an address without TLS names the clients that accept it", () => {
    const gateway = { address: "http://gateway.example", key: keys.demo, model: "talk" };
    expect(samplesFor("realtime", gateway, "")["openai (JS)"]).toContain('"WebSocket" does without');
    const behindTls = samplesFor("realtime", { ...gateway, address: "https://gateway.example" }, "");
    expect(behindTls["openai (JS)"]).not.toContain("does without");
  });
});
