import { EventEmitter, once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import { amazonFrame, amazonStreamType } from "./core/amazon-frame.ts";

/** Frame of a stream. */
export interface Frame {
  /** Name of the event, if it has one. */
  readonly event?: string;
  readonly data: string;
  /** True if the frame carries content; delays and faults count such frames. */
  readonly content?: boolean;
  /** True for the frame that shows that the stream is complete; the behaviour `noDone` leaves it out. */
  readonly last?: boolean;
  /** True for an exception in an Amazon event stream, which `event` names. */
  readonly isFailure?: boolean;
}

/** Streamed answer of a vendor. */
export interface Streamed {
  readonly frames: Iterable<Frame> | AsyncIterable<Frame>;
  /** Returns the frame of a failure after `sent` frames. */
  error(message: string, sent: number): Frame;
  /**
   * Framing: `crlf` for server-sent events with CRLF line ends, `array` for the elements of one JSON array, `amazon`
   * for an Amazon event stream. Server-sent events with LF if absent.
   */
  readonly framing?: "crlf" | "array" | "amazon";
}

const contentTypes = {
  crlf: "text/event-stream; charset=utf-8",
  array: "application/json",
  amazon: amazonStreamType,
} as const;

const releases = new EventEmitter();
const released = new Set<string>();

/** Lets answers that wait for this name (`waitFor`) continue, now and later. */
export function release(name: string): void {
  released.add(name);
  releases.emit(name);
}

/** Waits for the release of a name, if there is one, or for the end of the connection. */
export async function untilReleased(response: ServerResponse, name: string | undefined): Promise<void> {
  if (name === undefined || released.has(name)) return;
  await Promise.race([once(releases, name), once(response, "close")]);
}

/** Writes a stream with the requested pace and faults. */
export async function writeStream(response: ServerResponse, streamed: Streamed, behaviour: Behaviour): Promise<void> {
  response.writeHead(200, {
    "content-type": contentTypes[streamed.framing ?? "crlf"],
    "cache-control": "no-cache",
  });
  const { write, end } = writer(response, streamed.framing, behaviour);
  let [at, sent] = [0, 0];
  for await (const frame of streamed.frames) {
    if (response.destroyed) return;
    if (frame.content === true) {
      if (at === behaviour.cutAfterChunks) return void response.socket?.destroy();
      if (at === behaviour.stallAfterChunks) return void (await once(response, "close"));
      if (at === behaviour.errorAfterChunks) {
        await write(streamed.error(behaviour.errorMessage ?? "simulated failure in the stream", sent));
        return end();
      }
      const { chunkDelayMs, waitFor } = behaviour;
      if (chunkDelayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, chunkDelayMs));
      if (at === 1) await untilReleased(response, waitFor);
      at++;
    } else if (at === 0 && behaviour.errorAfterChunks === 0) continue;
    if (frame.last === true && behaviour.noDone === true) continue;
    await write(frame);
    sent++;
  }
  end();
}

/** Answer that consists of bytes, in pieces. */
export interface StreamedBytes {
  readonly contentType: string;
  readonly pieces: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Writes bytes with the requested pace and faults. Each piece counts as a content chunk. */
export async function writeBytes(
  response: ServerResponse,
  { contentType, pieces }: StreamedBytes,
  { chunkDelayMs, cutAfterChunks, stallAfterChunks }: Behaviour,
): Promise<void> {
  response.writeHead(200, { "content-type": contentType });
  let at = 0;
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (at === cutAfterChunks) return void response.socket?.destroy();
    if (at === stallAfterChunks) return void (await once(response, "close"));
    if (chunkDelayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, chunkDelayMs));
    if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
    at++;
  }
  response.end();
}

/** Creates a writer of frames, complete or in pieces. Writing waits for a slow reader. */
function writer(
  response: ServerResponse,
  framing: Streamed["framing"],
  { crlf, comments, splitBytes }: Behaviour,
): { write(frame: Frame): Promise<void>; end(): void } {
  const newline = crlf === true || framing === "crlf" ? "\r\n" : "\n";
  let began = false;
  const bytesOf = (frame: Frame): string | Buffer => {
    const { event, data } = frame;
    if (framing === "amazon") return amazonFrame(frame);
    if (framing === "array") return `${began ? `,${newline}` : "["}${data}`;
    const comment = comments === true ? `: keep-alive${newline}${newline}` : "";
    return `${comment}${event === undefined ? "" : `event: ${event}${newline}`}data: ${data}${newline}${newline}`;
  };
  return {
    async write(frame) {
      const made = bytesOf(frame);
      const bytes = typeof made === "string" ? Buffer.from(made) : made;
      began = true;
      const size = splitBytes ?? bytes.length;
      for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
        if (!response.write(bytes.subarray(at, at + size)))
          await Promise.race([once(response, "drain"), once(response, "close")]);
        // Sends pieces in separate turns of the event loop, because pieces of one turn would arrive together.
        if (splitBytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    end() {
      response.end(framing === "array" ? (began ? "]" : "[]") : "");
    },
  };
}
