import { aiffChunks } from "./aiff.ts";
import { cafChunks } from "./caf.ts";
import { pcmRate, secondsOfSamples, type SampleChunks, type SampleFile } from "./chunks.ts";
import { wave64Chunks, waveChunks } from "./wave.ts";

const headBytes = 40;
/** Magic bytes of file formats, and their chunk layouts. */
const kinds: readonly { readonly begins: RegExp; readonly chunks: SampleChunks }[] = [
  { begins: /^(RIFF|RF64|BW64)[^]{4}WAVE/, chunks: waveChunks("LE") },
  { begins: /^RIFX[^]{4}WAVE/, chunks: waveChunks("BE") },
  { begins: /^riff\.\u0091\u00cf[^]/, chunks: wave64Chunks },
  { begins: /^FORM[^]{4}AIF[FC]/, chunks: aiffChunks },
  { begins: /^caff/, chunks: cafChunks },
];
/** Bits per sample by encoding of Sun's AU format. */
const auBits: Readonly<Record<number, number>> = { 1: 8, 2: 8, 3: 16, 4: 24, 5: 32, 6: 32, 7: 64, 27: 8 };

/**
 * Computes the length of a file of samples, in seconds, by its bytes: a WAV (also RF64, BW64 and Wave64), an AIFF, a
 * CAF or an AU. Undefined for every other kind, for compressed samples, and where `read` does not reach the head of the
 * samples.
 */
export async function secondsBySamples(file: SampleFile): Promise<number | undefined> {
  const head = await file.read(0, headBytes);
  const begins = head.toString("latin1");
  if (begins.startsWith(".snd")) return auSeconds(head, file.size);
  const kind = kinds.find(({ begins: pattern }) => pattern.test(begins));
  return kind === undefined ? undefined : await secondsOfSamples(file, kind.chunks);
}

/**
 * Returns the length of an AU file, which has one header and whose samples extend to its end, regardless of the stated
 * size.
 */
function auSeconds(head: Buffer, size: number): number | undefined {
  if (head.length < 24) return undefined;
  const [start, encoding, rate, channels] = [4, 12, 16, 20].map((at) => head.readUInt32BE(at));
  const bytes = pcmRate(rate ?? 0, channels ?? 0, auBits[encoding ?? 0] ?? 0);
  const samples = size - (start ?? 0);
  return bytes === undefined || samples <= 0 ? undefined : samples / bytes;
}
