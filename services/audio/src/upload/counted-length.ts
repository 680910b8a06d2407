import { read } from "node:fs";
import { promisify } from "node:util";
import {
  ADTS,
  CustomSource,
  FLAC,
  Input,
  Logging,
  LogLevel,
  MATROSKA,
  MP3,
  MP4,
  MPEG_TS,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from "mediabunny";

// A client's broken file is not the operator's business.
Logging.level = LogLevel.Silent;

/** Formats that are counted. Playlists are left out: they would be followed to other addresses. */
const formats = [MP3, WAVE, FLAC, OGG, WEBM, MATROSKA, MP4, QTFF, ADTS, MPEG_TS];
/** Bytes of a file that are kept for reading on; with more of them, looking into them takes longer. */
const keptBytes = 256 * 1024;
/** Maximum bytes that are read at once: the table of all frames of a day. A file can say that it has a larger one. */
const maxReadBytes = 16 * 1024 * 1024;
/** Longest that a file is counted: a day of short frames takes longer. */
const maxMs = 5_000;

const readAt = promisify(read);

/**
 * Counts the length of a file's sound, in seconds: from its first frame to the end of its last one, whatever a header
 * states; a WAV, which has no frames, by the size of its samples. Undefined for a file without sound. Rejects for kinds
 * that are not counted, files that are invalid, and what takes too long or would be read at once. The file is left
 * open.
 */
export async function countedLength(descriptor: number, size: number): Promise<number | undefined> {
  using input = new Input({ formats, source: sourceOf(descriptor, size) });
  const timer = setTimeout(() => input.dispose(), maxMs);
  using _timer = { [Symbol.dispose]: () => clearTimeout(timer) };
  const track = await input.getPrimaryAudioTrack();
  if (track === null) return undefined;
  const end = await track.computeDuration();
  // A piece of a longer recording goes on with that one's clock.
  return end - Math.max(0, await track.getFirstTimestamp());
}

function sourceOf(descriptor: number, size: number): CustomSource {
  return new CustomSource({
    getSize: () => size,
    async read(start, end) {
      if (end - start > maxReadBytes) throw new RangeError(`${end - start} bytes at once`);
      const piece = Buffer.allocUnsafe(end - start);
      const { bytesRead } = await readAt(descriptor, piece, 0, piece.length, start);
      return piece.subarray(0, bytesRead);
    },
    maxCacheSize: keptBytes,
    // Frames follow one another: what comes next is read at once, not head by head.
    prefetchProfile: "network",
    handleUnhandledError: () => undefined,
  });
}
