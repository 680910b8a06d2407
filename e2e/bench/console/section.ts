import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openBooks } from "@modelgate/books";
import { createLogger } from "@modelgate/platform";
import { startLocalPostgres, startLocalSuite, type Suite } from "@modelgate/testkit";
import { browserProgram, launchBrowser } from "../../test/browser.ts";
import { buildConsole } from "../../test/console-browser.ts";
import { config } from "../../test/suite-client.ts";
import { fillMonth, monthToToday } from "../books/fill.ts";
import { options, report } from "../options.ts";
import { measurePages } from "./pages.ts";
import { measureQueries } from "./queries.ts";

/** Measures the console with full books. */
const defaultCalls = options.quick ? 20_000 : 1_000_000;
const calls = Number(options.calls ?? defaultCalls);
const { log } = createLogger("bench", "warn");
const program = browserProgram();

buildConsole();
for (const engine of ["sqlite", "postgres"] as const)
  if (options.engine === undefined || options.engine === engine) await measure(engine);

async function measure(engine: "sqlite" | "postgres"): Promise<void> {
  await using server = engine === "postgres" ? await startLocalPostgres() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "modelgate-bench-"));
  try {
    {
      await using books = await openBooks({ url: server?.url, file: join(folder, "books.sqlite") }, log);
      await fillMonth(books, calls, monthToToday());
    }
    const env = { MODELGATE_DATA: folder, BOOKS_URL: server?.url ?? "" };
    await using suite = await startLocalSuite({ fresh: true, shape: "one", config, env });
    report(`console over ${calls} calls in ${engine}`, `load ${loadavg()[0]?.toFixed(1)}`);
    await measureQueries(suite);
    if (program === undefined) report("  pages in a browser", "left out: no Chromium on this machine");
    else await measureInBrowser(program, suite);
    report("  load at the end", loadavg()[0]?.toFixed(1) ?? "");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureInBrowser(program: string, suite: Suite): Promise<void> {
  const browser = await launchBrowser(program);
  try {
    await measurePages(browser, suite);
  } finally {
    await browser.close();
  }
}
