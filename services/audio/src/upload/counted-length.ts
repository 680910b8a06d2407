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

// A client's broken file does not concern the operator.
Logging.level = LogLevel.Silent;

/** Formats that are counted. Playlists are excluded, because the reader would follow them to other addresses. */
const formats = [MP3, WAVE, FLAC, OGG, WEBM, MATROSKA, MP4, QTFF, ADTS, MPEG_TS];
/** Bytes of a file that are cached; lookups in a larger cache take longer. */
const keptBytes = 256 * 1024;
/** Maximum bytes per read: enough for the frame table of a day. A file can claim to have a larger one. */
const maxReadBytes = 16 * 1024 * 1024;
/** Maximum counting time of a file, in ms; a day of short frames takes longer. */
const maxMs = 5_000;

const readAt = promisify(read);

/**
 * Counts the length of a file's audio, in seconds: from its first frame to the end of its last one, regardless of its
 * header; a WAV, which has no frames, by the size of its samples. Undefined for a file without audio. Rejects for
 * formats that are not counted, invalid files, and files that exceed the time or read limit. Leaves the file open.
 */
export async function countedLength(descriptor: number, size: number): Promise<number | undefined> {
  using input = new Input({ formats, source: sourceOf(descriptor, size) });
  const timer = setTimeout(() => input.dispose(), maxMs);
  using _timer = { [Symbol.dispose]: () => clearTimeout(timer) };
  const track = await input.getPrimaryAudioTrack();
  if (track === null) return undefined;
  const end = await track.computeDuration();
  // A part of a longer recording continues the recording's timestamps.
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
    // Reads ahead, because frames follow one another.
    prefetchProfile: "network",
    handleUnhandledError: () => undefined,
  });
}
