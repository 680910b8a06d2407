import { afterAll, beforeAll, expect, test } from "vitest";
import { startScriptedServer, startSuite, until, type Suite } from "@modelgate/testkit";
import { ask, callbacksHere, films, quickLimits, promptWith } from "../../services/video/test/films.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    shape: "apart",
    config: films,
    envOf: { video: callbacksHere },
    limits: { video: { ...quickLimits.video, callbacks: { timeoutMs: 1_000 } } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

test.each(["SIGKILL", "SIGTERM"] as const)(
  "callbacks that a service was sending when %s came are sent by the next",
  async (signal) => {
    const sent: string[] = [];
    let isDeaf = true;
    await using client = await startScriptedServer((request) => {
      sent.push(JSON.parse(request.body).state);
      return isDeaf ? undefined : {};
    });
    const body = { model: "film-kling", prompt: promptWith({ polls: 1_000_000 }), callback_url: client.url };
    const { json } = await ask({ url: suite.edgeUrl }, "/v1/video/generations", body);
    await until("the first two transitions to be in delivery", () => sent.length === 2);
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
