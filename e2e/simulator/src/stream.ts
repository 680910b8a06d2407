import { EventEmitter, once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import { amazonFrame, amazonStreamType } from "./core/amazon-frame.ts";
import { pause } from "./core/pause.ts";

export interface Frame {
  readonly event?: string;
  readonly data: string;
  /** True for frames with content, which delays and faults count. */
  readonly content?: boolean;
  /** True for the last frame of a complete stream. The behaviour `noDone` omits it. */
  readonly last?: boolean;
  /** True for an exception in an Amazon event stream. */
  readonly isFailure?: boolean;
}

/** Streamed answer. */
export interface Streamed {
  readonly frames: Iterable<Frame> | AsyncIterable<Frame>;
  /** Returns the frame of a failure after `sent` frames. */
  error(message: string, sent: number): Frame;
  /**
   * `crlf`: server-sent events with CRLF. `array`: elements of a JSON array. `amazon`: an Amazon event stream. Default:
   * server-sent events with LF.
   */
  readonly framing?: "crlf" | "array" | "amazon";
}

const contentTypes = {
  crlf: "text/event-stream; charset=utf-8",
  array: "application/json",
  amazon: amazonStreamType,
} as const;

const releases = new EventEmitter();
const releasedNames = new Set<string>();

/** Lets answers continue that wait for this name (`waitFor`). */
export function release(name: string): void {
  releasedNames.add(name);
  releases.emit(name);
}

/** Forgets the released names of an earlier simulator in this process. */
export function forgetReleases(): void {
  releasedNames.clear();
}

/** Waits until `release(name)` is called or the connection closes. Returns at once without a name. */
export async function untilReleased(connection: EventEmitter, name: string | undefined): Promise<void> {
  if (name === undefined || releasedNames.has(name)) return;
  await Promise.race([once(releases, name), once(connection, "close")]);
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
      if (chunkDelayMs !== undefined) await pause(chunkDelayMs);
      if (at === 1) await untilReleased(response, waitFor);
      at++;
    } else if (at === 0 && behaviour.errorAfterChunks === 0) continue;
    if (frame.last === true && behaviour.noDone === true) continue;
    await write(frame);
    sent++;
  }
  end();
}

/** Answer of bytes, in pieces. */
export interface StreamedBytes {
  readonly contentType: string;
  readonly pieces: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Writes bytes with the requested pace and faults. */
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
    if (chunkDelayMs !== undefined) await pause(chunkDelayMs);
    if (!response.write(piece)) await Promise.race([once(response, "drain"), once(response, "close")]);
    at++;
  }
  response.end();
}

/** Creates a writer of frames. `write` waits while the client reads slowly. */
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
      const encoded = bytesOf(frame);
      const bytes = typeof encoded === "string" ? Buffer.from(encoded) : encoded;
      began = true;
      const size = splitBytes ?? bytes.length;
      for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
        if (!response.write(bytes.subarray(at, at + size)))
          await Promise.race([once(response, "drain"), once(response, "close")]);
        // Pieces that are written in one turn of the event loop would arrive together.
        if (splitBytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    end() {
      response.end(framing === "array" ? (began ? "]" : "[]") : "");
    },
  };
}
