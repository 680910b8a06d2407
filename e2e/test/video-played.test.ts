import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { browserProgram, closePages, sharedBrowser } from "./browser.ts";
import { ask, ended, films, quickLimits } from "../../services/video/test/films.ts";
import { keys } from "./suite-client.ts";

const program = browserProgram();

/** Returns a script that plays the end of a Base64 video in a page, and returns the player's values. */
const play = (base64: string): string => `new Promise((found, failed) => {
  const video = document.createElement("video");
  video.muted = true;
  video.onloadeddata = () => (video.currentTime = video.duration - 0.5);
  video.onseeked = () => void video.play();
  video.onerror = () => failed(new Error(video.error.message));
  video.onended = () => found([video.duration, video.currentTime, video.videoWidth, video.videoHeight]);
  video.src = "data:video/mp4;base64,${base64}";
})`;

describe.skipIf(program === undefined)("a player", () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    suite = await startSuite({ config: films, limits: quickLimits });
    browser = await sharedBrowser(program ?? "");
  });
  afterAll(async () => {
    await closePages(browser);
    await suite?.[Symbol.asyncDispose]();
  });

  test.each([
    // The simulator's pictures have about a sixteenth of the width and height.
    ["film-openai", { duration: 4, width: 720, height: 1280 }, [48, 80]],
    ["film-compatible", { duration: 3, width: 512, height: 512 }, [32, 32]],
    // The first video is extracted from the vendor's answer. The second is read from a bucket.
    ["film-vertex", { duration: 6, width: 1080, height: 1920 }, [80, 128]],
    ["film-bucket", { duration: 5 }, [80, 48]],
  ])("seeks in a video of %s, and plays it to its end", async (model, more, [width, height]) => {
    const { json } = await ask({ url: suite.edgeUrl }, "/v1/video/generations", { model, prompt: "A boat", ...more });
    await ended({ url: suite.edgeUrl }, json.task_id);
    const content = await fetch(`${suite.edgeUrl}/v1/videos/${json.task_id}/content`, {
      headers: { authorization: `Bearer ${keys.demo}` },
    });
    const base64 = Buffer.from(await content.arrayBuffer()).toString("base64");
    const page = await browser.newPage();
    expect(await page.evaluate(play(base64))).toEqual([more.duration, more.duration, width, height]);
  });
});
