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

// Without this, the library would log every broken file of a client.
Logging.level = LogLevel.Silent;

/** Formats that are counted. Playlists are excluded, because the reader would fetch the addresses in them. */
const countedFormats = [MP3, WAVE, FLAC, OGG, WEBM, MATROSKA, MP4, QTFF, ADTS, MPEG_TS];
/** Bytes of a file that are cached; look-ups in a larger cache take longer. */
const cacheBytes = 256 * 1024;
/** Maximum bytes per read: enough for the frame table of one day of audio. A file can claim a larger table. */
const maxReadBytes = 16 * 1024 * 1024;
/** Maximum time, in ms, to count one file. A day of audio in short frames takes longer. */
const maxMs = 5_000;

const readAt = promisify(read);

/**
 * Counts the seconds of a file's audio; undefined if the file has no audio. Rejects for unreadable files, and leaves
 * the file open.
 */
export async function countLength(descriptor: number, size: number): Promise<number | undefined> {
  using input = new Input({ formats: countedFormats, source: sourceOf(descriptor, size) });
  const timer = setTimeout(() => input.dispose(), maxMs);
  using _timer = { [Symbol.dispose]: () => clearTimeout(timer) };
  const track = await input.getPrimaryAudioTrack();
  if (track === null) return undefined;
  const end = await track.computeDuration();
  // In a part of a longer recording, the first timestamp is not 0.
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
    maxCacheSize: cacheBytes,
    // Reads ahead, because frames follow one another.
    prefetchProfile: "network",
    handleUnhandledError: () => undefined,
  });
}
