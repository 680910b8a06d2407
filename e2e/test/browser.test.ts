import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { browserProgram, closePages, newPage, servePage, sharedBrowser, type PageServer } from "./browser.ts";
import type { SdkOptions, PageFunctions } from "./browser-page.ts";
import { channel, config as baseConfig, keys, money } from "./suite-client.ts";
import { booksAgree, limits, price, usageEvents } from "./realtime-client.ts";
import { tlsFront, type TlsFront } from "./tls-front.ts";

/** Configuration with a model of another format, and an account with too little money for an answer. */
const config = {
  ...baseConfig,
  models: {
    ...baseConfig.models,
    live: { kind: "realtime", price },
    gem: { kind: "realtime", price },
    dear: { kind: "realtime", price: { output: 2_000 } },
  },
  channels: [
    ...baseConfig.channels,
    channel("voice", ["live", "dear"]),
    { id: "gem", provider: "gemini", baseUrl: "${SIMULATOR_URL}/at/gem/gemini", keys: ["k"], models: ["gem"] },
  ],
  accounts: { ...baseConfig.accounts, poor: { balance: "0.25", tokens: [{ key: keys.poor, group: "default" }] } },
};

declare const pageFunctions: PageFunctions;

const program = browserProgram();

describe.skipIf(program === undefined)("a page in a browser", () => {
  let server: PageServer;
  let suite: Suite;
  let front: TlsFront;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    server = await servePage();
    suite = await startSuite({ config, env: { CORS_ORIGINS: server.origin }, limits });
    front = await tlsFront(suite.edgeUrl);
    browser = await sharedBrowser(program ?? "");
    page = await open(server.origin);
  });
  afterAll(async () => {
    await closePages(browser);
    await front?.[Symbol.asyncDispose]();
    await suite?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  test("the API's page shows its endpoints and complies with its content security policy", async () => {
    const docsPage = await newPage(browser);
    const complaints: string[] = [];
    docsPage.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    docsPage.on("pageerror", (error) => complaints.push(error.message));
    await docsPage.goto(`${suite.edgeUrl}/docs`);
    await docsPage.getByText("/v1/chat/completions").first().waitFor();
    expect(complaints).toEqual([]);
    await docsPage.close();
  });

  async function open(origin: string): Promise<Page> {
    const opened = await newPage(browser, { ignoreHTTPSErrors: true });
    await opened.goto(origin);
    await opened.waitForFunction(() => "pageFunctions" in globalThis);
    return opened;
  }

  /** The realtime client of the SDK requires TLS. */
  const conversation = (model: string, key: string = keys.demo): SdkOptions => ({
    baseURL: `${front.url}/v1`,
    apiKey: key,
    model,
  });

  test.each([
    { model: "live", vendor: "of the realtime format" },
    { model: "gem", vendor: "of another format" },
  ])(
    "opens a session with the SDK's realtime client at a vendor $vendor, and is billed by the token",
    async ({ model }) => {
      const before = BigInt((await money(suite)).spentNanos);
      const result = await page.evaluate((as) => pageFunctions.converse(as), conversation(model));
      expect(result).toMatchObject({ model, protocol: "realtime", close: { code: 1000 } });
      expect(result.transcript).toBe("You said: Hello");
      // The simulator speaks for a twentieth of a second per character, at 24 kHz.
      expect(result.audioBytes).toBe("You said: Hello".length * 1_200);
      const [event] = (await usageEvents(suite, model, 1)).map((stored) => stored.event);
      const { input_token_details: input, output_token_details: output } = result.usage;
      expect(event).toMatchObject({ status: 101, outcome: "completed", estimated: false });
      expect(event?.units).toEqual({
        requests: 1,
        inputTokens: input.text_tokens,
        outputTokens: output.text_tokens,
        outputAudioTokens: output.audio_tokens,
      });
      const nanos = input.text_tokens * 4_000 + output.text_tokens * 16_000 + output.audio_tokens * 64_000;
      await booksAgree(suite, "demo");
      expect(BigInt((await money(suite)).spentNanos) - before).toBe(BigInt(nanos));
    },
  );

  test("gets an error event and a close reason when its account has no more money", async () => {
    expect(await page.evaluate((as) => pageFunctions.talkUntilClosed(as), conversation("dear", keys.poor))).toEqual({
      error: "insufficient_quota",
      code: 1008,
      reason: "insufficient_quota",
      wasClean: true,
    });
    await booksAgree(suite, "poor");
  });

  test.each([
    { name: "with an unknown key", key: "sk-unknown-0123456789", from: "origin", status: 401 },
    { name: "of an origin that is not allowed", key: keys.demo, from: "otherOrigin", status: 403 },
  ] as const)("$name gets no session, and no request is sent to the vendor", async ({ key, from, status }) => {
    const requestsBefore = (await suite.simulator.requests("voice")).length;
    const its = await open(server[from]);
    expect(await its.evaluate((as) => pageFunctions.openRefused(as), conversation("live", key))).toEqual({
      opened: false,
      code: 1006,
    });
    await its.close();
    expect(await suite.simulator.requests("voice")).toHaveLength(requestsBefore);
    const refused = await until("the refusal's line in the log", () =>
      suite
        .process("edge")
        .logs()
        .split("\n")
        .find((line) => line.includes("/v1/realtime") && line.includes(`"status":${status}`)),
    );
    expect(refused).not.toContain(key);
  });

  test("streams a chat with fetch, reads headers and errors; a page of another origin cannot", async () => {
    const shown = await page.evaluate((as) => pageFunctions.chat(as), conversation("chat"));
    expect(shown.text).toBe("You said: Hello");
    expect(shown.pieces).toBeGreaterThan(1);
    expect(shown.requestId).toMatch(/^req_/);
    expect(
      await page.evaluate((as) => pageFunctions.refusedChat(as), conversation("chat", "sk-unknown-0123456789")),
    ).toMatchObject({
      status: 401,
      code: "invalid_api_key",
      requestId: expect.stringMatching(/^req_/),
    });
    const other = await open(server.otherOrigin);
    expect(await other.evaluate((as) => pageFunctions.refusedChat(as), conversation("chat"))).toEqual({
      status: 0,
      message: "Connection error.",
    });
    await other.close();
  });
});
