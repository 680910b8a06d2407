import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import type { StreamFrames } from "./openai/render.ts";

/** Writes a stream of server-sent events at the pace and with the faults that were asked for. */
export async function streamFrames(
  response: ServerResponse,
  { opening, content, closing }: StreamFrames,
  behaviour: Behaviour,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const write = writer(response, behaviour);
  if (behaviour.errorAfterChunks !== 0) await write(opening);
  for (const [at, data] of content.entries()) {
    if (response.destroyed) return;
    if (at === behaviour.cutAfterChunks) return void response.socket?.destroy();
    if (at === behaviour.stallAfterChunks) return void (await once(response, "close"));
    if (at === behaviour.errorAfterChunks) {
      await write(
        JSON.stringify({
          error: { message: "simulated failure in the stream", type: "server_error", param: null, code: null },
        }),
      );
      return void response.end();
    }
    if (behaviour.chunkDelayMs !== undefined)
      await new Promise((resolve) => setTimeout(resolve, behaviour.chunkDelayMs));
    await write(data);
  }
  for (const data of closing) await write(data);
  response.end();
}

/** Writes one frame, whole or in pieces; waits where the reader is slow. */
function writer(response: ServerResponse, { crlf, comments, splitBytes }: Behaviour): (data: string) => Promise<void> {
  const end = crlf === true ? "\r\n" : "\n";
  return async (data) => {
    const frame = Buffer.from(`${comments === true ? `: still here${end}${end}` : ""}data: ${data}${end}${end}`);
    const size = splitBytes ?? frame.length;
    for (let at = 0; at < frame.length && !response.destroyed; at += size) {
      if (!response.write(frame.subarray(at, at + size)))
        await Promise.race([once(response, "drain"), once(response, "close")]);
      // Pieces go out one by one: what is written in one turn would arrive in one.
      if (splitBytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
    }
  };
}
