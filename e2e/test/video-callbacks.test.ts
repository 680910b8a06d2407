import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { ask, callbacksHere, films, quick, simulate } from "../../services/video/test/films.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: films,
    envOf: { video: callbacksHere },
    limits: { video: { ...quick.video, callbacks: { timeoutMs: 1_000 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** A client's own address for callbacks. */
async function listen(take: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(take).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/done`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test.each(["SIGKILL", "SIGTERM"] as const)(
  "what a service was sending when %s came is sent by the next",
  async (signal) => {
    const sent: string[] = [];
    let isDeaf = true;
    await using client = await listen((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        sent.push(JSON.parse(Buffer.concat(pieces).toString()).state);
        if (!isDeaf) response.end();
      });
    });
    const body = { model: "film-kling", prompt: simulate({ looks: 1_000_000 }), callback_url: client.url };
    const { json } = await ask({ url: suite.edgeUrl }, "/v1/video/generations", body);
    await until("the first two transitions to be under way", () => sent.length === 2);
    suite.process("video").signal(signal);
    await suite.process("video").ended;
    isDeaf = false;
    sent.length = 0;
    await suite.restart("video");
    await until("both to be sent", () => new Set(sent).size === 2);
    expect(new Set(sent)).toEqual(new Set(["queued", "in_progress"]));
    expect(json.status).toBe("queued");
  },
);
