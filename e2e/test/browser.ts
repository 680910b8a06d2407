import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type CDPSession, type Page } from "playwright-core";
import { rolldown } from "rolldown";
import { findProgram, freePorts } from "@modelgate/testkit";

/** A page that is nothing but its script. */
const page = `<!doctype html>
<title>a page that talks</title>
<script type="module" src="/page.js"></script>`;

/** The page's script, bundled with the SDK as an application's would be. */
async function script(): Promise<string> {
  const bundle = await rolldown({ input: join(import.meta.dirname, "browser-page.ts"), platform: "browser" });
  try {
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** An HTTP server of a page, under two origins that are each foreign to the other. */
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
 * The browser's program: the one that MODELGATE_CHROMIUM names (`none`: none), as the bootstrap does, or one that
 * stands on PATH or among the repository's own tools. Undefined, and printed why, where there is none.
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

/** Starts the browser without a window. It asks nothing of the network but what its pages ask. */
export function launchBrowser(program: string): Promise<Browser> {
  const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update", "--disable-sync"];
  return chromium.launch({
    executablePath: program,
    headless: true,
    // A microphone that beeps, and is allowed.
    args: [
      ...quiet,
      "--disable-background-networking",
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
    ],
  });
}

/** Kinds of requests that wait for a connection when a page is opened or used. */
const resourceTypes = ["Document", "Script", "Stylesheet", "Font", "Image", "Fetch"] as const;

/**
 * Opens a page in a context of its own. Chromium ends all requests that wait for a connection when an interface of the
 * machine gets or loses an address, as each container that starts or stops makes one do; of a page with more than six
 * scripts some always wait. Such a request was never sent, so it is sent from here.
 */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  const session = await page.context().newCDPSession(page);
  // A page that was closed needs no response any more.
  session.on("Fetch.requestPaused", (paused) => void answerPaused(page, session, paused).catch(() => undefined));
  const patterns = resourceTypes.map((resourceType) => ({ resourceType, requestStage: "Response" as const }));
  await session.send("Fetch.enable", { patterns });
  return page;
}

/** A request that has a response or failed. */
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

/** Lets a response through; a request that was ended by a change of the network gets its response here. */
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
    // The body below is decoded.
    responseHeaders: response.headersArray().filter(({ name }) => name.toLowerCase() !== "content-encoding"),
    body: (await response.body()).toString("base64"),
  });
}
