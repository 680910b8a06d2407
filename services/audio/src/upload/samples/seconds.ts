import { aiffChunks } from "./aiff.ts";
import { cafChunks } from "./caf.ts";
import { pcmRate, secondsOfChunks, type SampleChunks, type SampleFile } from "./chunks.ts";
import { wave64Chunks, waveChunks } from "./wave.ts";

const headBytes = 40;
/** File formats: pattern of their first bytes, and their chunks. */
const formats: readonly { readonly header: RegExp; readonly chunks: SampleChunks }[] = [
  { header: /^(RIFF|RF64|BW64)[^]{4}WAVE/, chunks: waveChunks("LE") },
  { header: /^RIFX[^]{4}WAVE/, chunks: waveChunks("BE") },
  { header: /^riff\.\u0091\u00cf[^]/, chunks: wave64Chunks },
  { header: /^FORM[^]{4}AIF[FC]/, chunks: aiffChunks },
  { header: /^caff/, chunks: cafChunks },
];
/** Bits per sample of each encoding of Sun's AU format. */
const auBits: Readonly<Record<number, number>> = { 1: 8, 2: 8, 3: 16, 4: 24, 5: 32, 6: 32, 7: 64, 27: 8 };

/** Computes the seconds of a WAV, AIFF, CAF or AU file; undefined for other formats and most compressed samples. */
export async function secondsBySamples(file: SampleFile): Promise<number | undefined> {
  const head = await file.read(0, headBytes);
  const header = head.toString("latin1");
  if (header.startsWith(".snd")) return auSeconds(head, file.size);
  const kind = formats.find(({ header: pattern }) => pattern.test(header));
  return kind === undefined ? undefined : await secondsOfChunks(file, kind.chunks);
}

/**
 * Returns the length of an AU file, in seconds. Its stated size is ignored: the samples extend to the end of the file.
 */
function auSeconds(head: Buffer, size: number): number | undefined {
  if (head.length < 24) return undefined;
  const [start, encoding, rate, channels] = [4, 12, 16, 20].map((position) => head.readUInt32BE(position));
  const bytes = pcmRate(rate ?? 0, channels ?? 0, auBits[encoding ?? 0] ?? 0);
  const samples = size - (start ?? 0);
  return bytes === undefined || samples <= 0 ? undefined : samples / bytes;
}
