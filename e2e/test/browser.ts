import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type CDPSession, type Page } from "playwright-core";
import { rolldown } from "rolldown";
import { findProgram, freePorts } from "@modelgate/testkit";

/** HTML page that contains only its script. */
const page = `<!doctype html>
<title>a page that talks</title>
<script type="module" src="/page.js"></script>`;

/** Bundles the page's script with the SDK, as an application does. */
async function script(): Promise<string> {
  const bundle = await rolldown({ input: join(import.meta.dirname, "browser-page.ts"), platform: "browser" });
  try {
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** HTTP server of a page with two different origins. */
export interface PageServer extends AsyncDisposable {
  readonly origin: string;
  readonly otherOrigin: string;
}

/** Serves the page and its script. */
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

/**
 * Returns the path of the browser: the one in MODELGATE_CHROMIUM (`none`: no browser), or one on PATH or in the
 * repository's tools. Prints the reason and returns undefined if there is none.
 */
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

/** Starts the browser without a window. It makes no network requests except those of its pages. */
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

/** Maximum time of a wait for an element or a page. The default of 30 seconds is little for a busy machine. */
const waitMs = 120_000;

/** Types of requests that wait for a connection when a page is opened or used. */
const resourceTypes = ["Document", "Script", "Stylesheet", "Font", "Image", "Fetch"] as const;

/**
 * Opens a page in a new context. Chromium aborts all requests that wait for a connection when an address is added to or
 * removed from the machine, as every start of a container does. A page with more than six scripts always has waiting
 * requests. Such a request was not sent, so this function sends it.
 */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(waitMs);
  const session = await page.context().newCDPSession(page);
  // A closed page needs no response.
  session.on("Fetch.requestPaused", (paused) => void answerPaused(page, session, paused).catch(() => undefined));
  const patterns = resourceTypes.map((resourceType) => ({ resourceType, requestStage: "Response" as const }));
  await session.send("Fetch.enable", { patterns });
  return page;
}

/** Request that has a response or has failed. */
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

/** Continues a response. A request that was aborted by a network change is sent again here. */
async function answerPaused(page: Page, session: CDPSession, paused: PausedRequest): Promise<void> {
  const { requestId, resourceType, request, responseErrorReason } = paused;
  // A script's request to another origin fails with the same reason when the origin does not allow it.
  const isForeign = resourceType === "Fetch" && new URL(request.url).origin !== new URL(page.url()).origin;
  if (responseErrorReason !== "Failed" || isForeign)
    return void (await session.send("Fetch.continueResponse", { requestId }));
  const { method, headers, postData: data } = request;
  const response = await page.context().request.fetch(request.url, { method, headers, data, maxRedirects: 0 });
  await session.send("Fetch.fulfillRequest", {
    requestId,
    responseCode: response.status(),
    // The body is already decoded.
    responseHeaders: response.headersArray().filter(({ name }) => name.toLowerCase() !== "content-encoding"),
    body: (await response.body()).toString("base64"),
  });
}
