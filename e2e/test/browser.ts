import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type CDPSession, type Page } from "playwright-core";
import { rolldown } from "rolldown";
import { findProgram, freePorts } from "@modelgate/testkit";

const page = `<!doctype html>
<title>a page that talks</title>
<script type="module" src="/page.js"></script>`;

async function script(): Promise<string> {
  const bundle = await rolldown({ input: join(import.meta.dirname, "browser-page.ts"), platform: "browser" });
  try {
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** HTTP server of a page that is available at two origins. */
export interface PageServer extends AsyncDisposable {
  readonly origin: string;
  readonly otherOrigin: string;
}

/** Serves a page that runs `browser-page.ts` with the SDK. */
export async function servePage(): Promise<PageServer> {
  const code = await script();
  const [port = 0] = await freePorts(1);
  const server = createServer(({ url }, response) => {
    if (url === "/") response.setHeader("content-type", "text/html").end(page);
    else if (url === "/page.js") response.setHeader("content-type", "text/javascript").end(code);
    else response.writeHead(404).end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${port}`,
    otherOrigin: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Returns the path of the browser, or prints the reason if it is missing. */
export function browserProgram(): string | undefined {
  const named = process.env["MODELGATE_CHROMIUM"] || undefined;
  const program = named === "none" ? undefined : (named ?? findProgram("chromium"));
  if (program === undefined)
    process.stdout.write(
      named === "none"
        ? "left out: MODELGATE_CHROMIUM wants no browser\n"
        : "left out: no Chromium on this machine (npm run prepare-machine gets one on Debian; MODELGATE_CHROMIUM names one)\n",
    );
  return program;
}

/** Starts the browser. It makes no network requests except those of its pages. */
export function launchBrowser(program: string): Promise<Browser> {
  const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update", "--disable-sync"];
  return chromium.launch({
    executablePath: program,
    headless: true,
    // A simulated microphone with a beep, without a permission prompt.
    args: [
      ...quiet,
      "--disable-background-networking",
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
    ],
  });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser of this worker, which its test files share. A start takes more than a second of CPU time. */
export function sharedBrowser(program: string): Promise<Browser> {
  // If it does not start or exits, the next file starts another one.
  const forget = (): void => void (shared = undefined);
  shared ??= launchBrowser(program).then(
    (browser) => browser.once("disconnected", forget),
    (error: unknown) => {
      forget();
      throw error;
    },
  );
  return shared;
}

/** Closes all pages of a shared browser. A test file that used it calls this at its end. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

const waitMs = 120_000;

/** Requests of these types are repeated after a network change. */
const resourceTypes = ["Document", "Script", "Stylesheet", "Font", "Image", "Fetch"] as const;

/**
 * Opens a page in a new context. Chromium aborts requests when a container starts, because the network changes. The
 * page's aborted requests are sent again.
 */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(waitMs);
  const session = await page.context().newCDPSession(page);
  // `answerPaused` fails if the page was closed.
  session.on("Fetch.requestPaused", (paused) => void answerPaused(page, session, paused).catch(() => undefined));
  const patterns = resourceTypes.map((resourceType) => ({ resourceType, requestStage: "Response" as const }));
  await session.send("Fetch.enable", { patterns });
  return page;
}

interface PausedRequest {
  readonly requestId: string;
  readonly resourceType: string;
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly postData?: string;
  };
  readonly responseErrorReason?: string;
}

/** Continues a response, or sends an aborted request again. */
async function answerPaused(page: Page, session: CDPSession, paused: PausedRequest): Promise<void> {
  const { requestId, resourceType, request, responseErrorReason } = paused;
  // A request to an origin that does not allow it fails with the same reason.
  const isForeign = resourceType === "Fetch" && new URL(request.url).origin !== new URL(page.url()).origin;
  if (responseErrorReason !== "Failed" || isForeign)
    return void (await session.send("Fetch.continueResponse", { requestId }));
  const { method, headers, postData: data } = request;
  const response = await page.context().request.fetch(request.url, { method, headers, data, maxRedirects: 0 });
  await session.send("Fetch.fulfillRequest", {
    requestId,
    responseCode: response.status(),
    responseHeaders: response.headersArray().filter(({ name }) => name.toLowerCase() !== "content-encoding"),
    body: (await response.body()).toString("base64"),
  });
}
