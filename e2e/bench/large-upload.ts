import { randomBytes } from "node:crypto";
import { request } from "node:http";
import {
  startHttpServer,
  startLocalSuite,
  wavHead,
  type LocalBackends,
  type Suite,
  type SuiteOptions,
  type TestServer,
} from "@modelgate/testkit";
import { resetPeak, readMemory } from "./measure.ts";

const key = "sk-bench-0123456789abcdef";
const mebibyte = 1_048_576;

/** Number of small files that are sent before the measurement. */
const warmUploads = 8;

const configOf = (vendorUrl: string) => ({
  groups: { default: { models: ["*"] } },
  models: { scribe: { kind: "transcription", price: { second: 0.000001 } } },
  channels: [{ id: "vendor", provider: "openai", baseUrl: `${vendorUrl}/v1`, keys: ["key"], models: ["scribe"] }],
  accounts: { bench: { balance: "1000.00", tokens: [{ key, group: "default" }] } },
});

/** Maximum memory growth during an upload, in bytes. */
export interface Growth {
  readonly edge: number;
  readonly audio: number;
}

/** Growth by a file that is forwarded while it arrives, and by one that first waits on disk. */
export interface UploadGrowth {
  readonly passed: Growth;
  readonly spooled: Growth;
}

/**
 * Measures by how much an audio file increases the memory. If the form has the model before the file, the file is
 * forwarded while it arrives (`passed`). Otherwise the file first waits on disk (`spooled`).
 */
export async function largeUpload(
  mebibytes: number,
  program: Pick<SuiteOptions<LocalBackends>, "fresh" | "limits"> = {},
): Promise<UploadGrowth> {
  await using vendor = await startDiscardingVendor();
  await using suite = await startLocalSuite({ shape: "apart", config: configOf(vendor.url), ...program });
  return measureUploads(suite, key, mebibytes);
}

/** Measures the memory for files that an account sends to the model `scribe` of a suite. */
export async function measureUploads(suite: Suite, apiKey: string, mebibytes: number): Promise<UploadGrowth> {
  const send = (bytes: number, modelFirst: boolean) =>
    upload(`${suite.edgeUrl}/v1/audio/transcriptions`, apiKey, bytes, modelFirst);
  for (let warm = 0; warm < warmUploads; warm++) await send(mebibyte, warm % 2 === 0);
  const pids = { edge: suite.process("edge").pid, audio: suite.process("audio").pid };
  const grownBy = async (modelFirst: boolean): Promise<Growth> => {
    const before = { edge: resetPeak(pids.edge), audio: resetPeak(pids.audio) };
    await send(mebibytes * mebibyte, modelFirst);
    return { edge: readMemory(pids.edge).peak - before.edge, audio: readMemory(pids.audio).peak - before.audio };
  };
  return { passed: await grownBy(true), spooled: await grownBy(false) };
}

/** Starts a vendor that reads files and discards them. The simulator would parse them. */
export function startDiscardingVendor(): Promise<TestServer> {
  return startHttpServer((file, response) => {
    file.resume().once("end", () => response.setHeader("content-type", "application/json").end('{"text":"heard"}'));
  });
}

/** Sends a generated WAV file. */
async function upload(url: string, apiKey: string, bytes: number, modelFirst: boolean): Promise<void> {
  const boundary = "bench";
  const model = `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\nscribe\r\n`;
  const before = `${modelFirst ? model : ""}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  const after = `\r\n${modelFirst ? "" : model}--${boundary}--\r\n`;
  const outgoing = request(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": before.length + bytes + after.length,
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.on("response", (response) => response.on("end", () => resolve(response.statusCode ?? 0)).resume());
    outgoing.on("error", reject);
  });
  outgoing.write(before);
  outgoing.write(wavHead({ sampleRate: 48_000, channels: 2, bits: 16 }, bytes - 44));
  const noise = randomBytes(64 * 1_024);
  for (let remaining = bytes - 44; remaining > 0; remaining -= noise.length)
    if (!outgoing.write(noise.subarray(0, remaining))) await new Promise((resolve) => outgoing.once("drain", resolve));
  outgoing.end(after);
  const status = await answered;
  if (status !== 200) throw new Error(`the upload was answered with ${status}`);
}
