import { Agent, request, type ClientRequest } from "node:http";
import type { Load } from "./load.ts";

/** Number of streams that are opened at once. More would measure a burst. */
const openedTogether = 50;

export interface OpenStreams extends Disposable {
  open(count: number): Promise<void>;
}

/** Prepares streams that stay open until disposal. */
export function prepareStreams({ url, headers, body }: Pick<Load, "url" | "headers" | "body">): OpenStreams {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const streams: ClientRequest[] = [];
  const all = { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const openOne = (): Promise<ClientRequest> =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { method: "POST", agent, headers: all }, (response) => {
        response.once("data", () => resolve(outgoing));
        response.on("error", () => undefined);
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  return {
    async open(count) {
      for (let remaining = count; remaining > 0; remaining -= openedTogether)
        streams.push(...(await Promise.all(Array.from({ length: Math.min(openedTogether, remaining) }, openOne))));
    },
    [Symbol.dispose]() {
      for (const stream of streams) stream.destroy();
      agent.destroy();
    },
  };
}
