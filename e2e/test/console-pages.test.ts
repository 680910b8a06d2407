import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, wavHead, type Suite } from "@modelgate/testkit";
import { browserProgram, launchBrowser } from "./browser.ts";
import { buildConsole, visit, visitSignedIn } from "./console-browser.ts";
import { channel, config as house, hello, keys, post } from "./house.ts";
import { quick } from "./films.ts";

const program = browserProgram();
/** What is loaded before the first page can be used, compressed. */
const mostBytes = 300_000;

const config = {
  ...house,
  models: {
    ...house.models,
    film: { kind: "video", price: { second: 0.1 } },
    voice: { kind: "speech", price: { character: 0.000015 } },
    ears: { kind: "transcription", price: { second: 0.0001 } },
    talk: { kind: "realtime", price: { input: 4, output: 16, inputAudio: 32, outputAudio: 64 } },
    twice: { kind: "chat", price: { input: 2.5, output: 10 } },
  },
  channels: [
    ...house.channels,
    channel("films", ["film"]),
    channel("sounds", ["voice", "ears", "talk"]),
    channel("shaky", ["twice"], { priority: 1 }),
    channel("steady", ["twice"]),
  ],
};

describe.skipIf(program === undefined)("pages of the console", { timeout: 120_000 }, () => {
  let suite: Suite;
  let browser: Browser;
  beforeAll(async () => {
    buildConsole();
    suite = await startSuite({ shape: "apart", config, env: quick });
    browser = await launchBrowser(program ?? "");
    await until("a first call", async () => (await post(suite, hello("chat"))).status === 200);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  test("a call's page shows its hold, each attempt, the first byte, what was dropped, and the settlement", async () => {
    await suite.simulator.script("shaky", [{ status: 500 }]);
    const answer = await post(suite, { ...hello("twice"), stream: false });
    expect(answer.status).toBe(200);
    const requestId = answer.headers.get("x-request-id") ?? "";
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    const way = page.getByRole("table", { name: "The way it took" });
    await until("the call to be in the books", async () => {
      await page.goto(`${suite.controlUrl}/console/calls/${requestId}`);
      await page.getByRole("heading", { name: "Call", exact: true }).waitFor();
      await until("the page", async () => (await page.getByLabel("Loading").count()) === 0);
      return (await way.count()) === 1;
    });
    const rows = await way.getByRole("row").allTextContents();
    expect(rows).toEqual([
      expect.stringMatching(/^held\$/),
      expect.stringMatching(/^attempt 1shaky \/ .*upstream_error 500.* ms$/),
      expect.stringMatching(/^attempt 2steady \/ .*answered 200.* ms$/),
      expect.stringMatching(/^first byte.*m?s$/),
      expect.stringMatching(/^settled\$.*m?s$/),
    ]);
    expect(session.errors).toEqual([]);
  });

  test("the page of video tasks shows each with its state, and filters them", async () => {
    const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: "film", prompt: "A boat", seconds: "4" });
    const made = await fetch(`${suite.edgeUrl}/v1/videos`, { method: "POST", headers, body });
    const { id }: { readonly id: string } = JSON.parse(await made.text());
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "Video tasks" }).click();
    const row = page.getByRole("row", { name: id });
    await row.getByText("completed").waitFor();
    expect(await row.textContent()).toContain("films");
    await page.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "failed" }).click();
    await page.getByText("No video tasks match.").waitFor();
    expect(new URL(page.url()).searchParams.get("state")).toBe("failed");
  });

  test("the system's page shows every service, its version, the stores and the lag", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "System" }).click();
    const services = page.getByRole("table", { name: "Services" });
    await services.waitFor();
    const text = (await services.textContent()) ?? "";
    for (const name of ["edge", "text", "media", "audio", "video", "realtime", "ledger", "control"])
      expect(text).toContain(name);
    expect(text).toContain("0.1.0");
    for (const name of ["USAGE", "CREDITS", "TASKS"]) await page.getByRole("cell", { name }).waitFor();
    expect(await page.getByText("away", { exact: true }).count()).toBe(0);
  });

  test("a part that is away stands on the overview and on the system's page", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await suite.process("ledger").stop();
    try {
      await page.getByText("Parts of the gateway are away or late").waitFor();
      await page.getByRole("link", { name: "See all parts" }).click();
      await page.getByText("away", { exact: true }).first().waitFor();
    } finally {
      await suite.restart("ledger");
    }
    await until("the ledger to be back", async () => (await page.getByText("away", { exact: true }).count()) === 0);
    expect(session.errors).toEqual([]);
  });

  test("a channel's keys are disabled and enabled one by one, and its course is drawn", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("link", { name: "Channels" }).click();
    const disable = page.getByRole("button", { name: /^disable main \S+$/ });
    await disable.click();
    await page.getByRole("button", { name: /^enable main \S+$/ }).click();
    await disable.waitFor();
    await page
      .getByRole("img", { name: /^First byte of the last 24 hours/ })
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Models" }).click();
    await page.getByRole("columnheader", { name: "Failed" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("the overview's percentiles are those of all calls, by the API that gatectl uses", async () => {
    await using session = await visitSignedIn(browser, suite);
    const figure = session.page.locator('[data-figure="First byte p50 / p95"]');
    await until("the figure", async () => /\d/.test((await figure.textContent()) ?? ""));
    await session.page.getByText(/of \d+ completed calls/).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("speaks Chinese where it is chosen, and keeps to it", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.getByRole("button", { name: "简体中文" }).click();
    await page.getByRole("heading", { name: "总览" }).waitFor();
    for (const name of ["视频任务", "渠道", "系统", "审计"]) {
      await page.getByRole("link", { name }).click();
      await page.getByRole("heading", { name }).waitFor();
    }
    expect(await page.getAttribute("html", "lang")).toBe("zh-CN");
    await page.reload();
    await page.getByRole("heading", { name: "审计" }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test.each([
    { kind: "image", fill: "What it shows", shown: (page: Page) => page.getByAltText("The picture") },
    { kind: "speech", fill: "Text to speak", shown: (page: Page) => page.getByLabel("The sound") },
    { kind: "video", fill: "What it shows", shown: (page: Page) => page.getByLabel("The film") },
  ])("the playground tries $kind, shows what it cost, and has it as code", async ({ kind, fill, shown }) => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/playground?kind=${kind}`);
    await page.getByLabel(/^Key/).fill(keys.demo);
    await page.getByLabel(fill).fill("A boat");
    await page.getByRole("button", { name: "Send" }).click();
    await shown(page).waitFor();
    await page.getByText(/^cost \$/).waitFor();
    await page.getByRole("button", { name: "As code" }).click();
    await page.getByRole("tab", { name: "openai (Python)" }).click();
    const code = (await page.getByLabel("Code for openai (Python)", { exact: true }).textContent()) ?? "";
    expect(code).toContain('"A boat"');
    expect(code).not.toContain(keys.demo);
    expect(session.errors).toEqual([]);
  });

  test("the playground writes down what a recording says", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    await page.goto(`${suite.controlUrl}/console/playground?kind=transcription`);
    await page.getByLabel(/^Key/).fill(keys.demo);
    const buffer = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 16 }, 16_000), Buffer.alloc(16_000)]);
    await page.locator('input[type="file"]').setInputFiles({ name: "words.wav", mimeType: "audio/wav", buffer });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(/^cost \$/).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("the playground speaks with a realtime model by the microphone", async () => {
    await using session = await visitSignedIn(browser, suite);
    const { page } = session;
    const sent: string[] = [];
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => void sent.push(payload.toString())));
    await page.goto(`${suite.controlUrl}/console/playground?kind=realtime`);
    await page.getByLabel(/^Key/).fill(keys.demo);
    await page.getByRole("button", { name: "Speak" }).click();
    await page.getByText("The microphone is on.").waitFor();
    await until("sound to be sent", async () => sent.some((text) => text.includes("input_audio_buffer.append")));
    await page.getByRole("button", { name: "End the session" }).click();
    await page.getByRole("button", { name: "Speak" }).waitFor();
    expect(session.errors).toEqual([]);
  });

  test("what is loaded until the overview can be used is small", async () => {
    await using opened = await visit(browser);
    const { page } = opened;
    const { url } = await suite.ask<{ url: string }>("operator", "link");
    const sizes = new Map<string, number>();
    page.on("requestfinished", (request) => {
      const name = new URL(request.url()).pathname;
      if (!name.startsWith("/console/")) return;
      void request.sizes().then(({ responseBodySize }) => sizes.set(name, responseBodySize));
    });
    await page.goto(url);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    // The chart's library comes after the page, which waits for none of it.
    await until("every part", async () => [...sizes.keys()].some((name) => /spend-chart.*js$/.test(name)));
    await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined);
    const before = [...sizes].filter(([name]) => !name.includes("spend-chart"));
    const sum = before.reduce((all, [, size]) => all + size, 0);
    expect(sum).toBeGreaterThan(50_000);
    expect(sum).toBeLessThan(mostBytes);
  });
});
