import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import { amazonFrame, amazonStreamType } from "./core/amazon-frame.ts";

/** A frame of a stream. */
export interface Frame {
  /** Absent: the frame has no name. */
  readonly event?: string;
  readonly data: string;
  /** It carries content: delays and faults count these. */
  readonly content?: boolean;
  /** Without it the stream was cut: `noDone` leaves it out. */
  readonly last?: boolean;
  /** In Amazon's frames: it is an exception, which its name says. */
  readonly isFailure?: boolean;
}

/** A streamed answer, as a vendor would send it. */
export interface Streamed {
  readonly frames: Iterable<Frame> | AsyncIterable<Frame>;
  /** The frame of a failure after so many frames. */
  error(message: string, sent: number): Frame;
  /**
   * `crlf`: server-sent events whose lines end in CRLF; `array`: the elements of one JSON array; `amazon`: frames of an Amazon
   * event stream. Default: server-sent events with LF.
   */
  readonly framing?: "crlf" | "array" | "amazon";
}

const contentTypes = {
  crlf: "text/event-stream; charset=utf-8",
  array: "application/json",
  amazon: amazonStreamType,
} as const;

/** Writes a stream at the pace and with the faults that were asked for. */
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
      if (behaviour.chunkDelayMs !== undefined)
        await new Promise((resolve) => setTimeout(resolve, behaviour.chunkDelayMs));
      at++;
    } else if (at === 0 && behaviour.errorAfterChunks === 0) continue;
    if (frame.last === true && behaviour.noDone === true) continue;
    await write(frame);
    sent++;
  }
  end();
}

/** An answer that is no text, as it comes. */
export interface StreamedBytes {
  readonly contentType: string;
  readonly pieces: Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** Writes bytes at the pace and with the faults that were asked for; a piece is a content chunk. */
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

/** Writes frames, whole or in pieces; waits where the reader is slow. */
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
    const comment = comments === true ? `: still here${newline}${newline}` : "";
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
        // Pieces go out one by one: what is written in one turn would arrive in one.
        if (splitBytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    end() {
      response.end(framing === "array" ? (began ? "]" : "[]") : "");
    },
  };
}
