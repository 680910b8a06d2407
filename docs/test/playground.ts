import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wavHead, type PythonForks } from "@modelgate/testkit";
import { tlsFront, type TlsFront } from "../../e2e/test/tls-front.ts";
import { root, type Demo, type Ended } from "./start.ts";

interface Gateway {
  readonly address: string;
  readonly key: string;
  readonly model: string;
}
type Samples = (kind: Kind, gateway: Gateway, text: string) => Readonly<Record<string, string>>;
/** The playground's code of a call, for each client. */
export const { samplesFor }: { readonly samplesFor: Samples } = await import(
  join(root, "services/console/src/parts/code-samples.ts")
);

const kinds = ["chat", "image", "speech", "transcription", "video", "realtime"] as const;
type Kind = (typeof kinds)[number];

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
/** Prompt with characters that must be quoted in a shell and in JSON. */
const prompt = `It's a "boat"`;
const key = "sk-demo-0123456789abcdef";

/** Code of the playground that can be run. */
export interface Sample {
  readonly kind: Kind;
  readonly client: string;
  readonly runner: "bash" | "node" | "python";
  /** Text that the output must contain. */
  readonly prints: string;
  /** File that the code must write. */
  readonly writes: string | undefined;
}

export const samples: readonly Sample[] = kinds.flatMap((kind) =>
  Object.keys(samplesFor(kind, { address: "", key, model: "" }, prompt)).flatMap((client) => {
    const runner = runners[client];
    const writes = kind === "speech" ? "speech.mp3" : kind === "video" && client !== "curl" ? "video.mp4" : undefined;
    return runner === undefined ? [] : [{ kind, client, runner, prints: printed[kind], writes }];
  }),
);

/** Folder for samples, with a TLS proxy of the gateway, which the SDK for JavaScript needs for sessions. */
export interface SampleFolder extends AsyncDisposable {
  /** Runs a sample. Returns also the files that it wrote. */
  run(sample: Sample, forks: PythonForks | undefined): Promise<Ended & { readonly files: readonly string[] }>;
}

export async function openSampleFolder(demo: Demo): Promise<SampleFolder> {
  const front: TlsFront = await tlsFront(`http://${demo.address}`);
  // Inside this package, so that the samples can import its packages.
  const folder = mkdtempSync(join(root, "docs/sample-"));
  const authority = join(folder, "authority.pem");
  writeFileSync(authority, front.authority);
  const silence = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 16 }, 16_000), Buffer.alloc(16_000)]);
  return {
    async run({ kind, client, runner }, forks) {
      const place = join(folder, `${kind}-${client.replaceAll(/\W/g, "")}`);
      mkdirSync(place);
      writeFileSync(join(place, "recording.wav"), silence);
      const wantsTls = kind === "realtime" && client === "openai (JS)";
      const address = wantsTls ? front.url : `http://${demo.address}`;
      const code = samplesFor(kind, { address, key, model: `demo-${kind}` }, prompt)[client] ?? "";
      const env = { NODE_EXTRA_CA_CERTS: authority };
      if (runner === "python") {
        if (forks === undefined) throw new Error("there is no Python");
        const ended = await forks.run(code, { folder: place, env: {} });
        return { ...ended, files: readdirSync(place) };
      }
      const file = join(place, "sample.mjs");
      writeFileSync(file, code);
      const program = runner === "bash" ? "bash" : process.execPath;
      const ended = await demo.run(program, [file], { folder: place, env });
      return { ...ended, files: readdirSync(place) };
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true });
      await front[Symbol.asyncDispose]();
    },
  };
}
