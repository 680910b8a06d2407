import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { endpointIds, endpointOf } from "@modelgate/contracts";

const docs = join(import.meta.dirname, "..");

test("the pages are built, and have no broken links", { timeout: 240_000 }, async () => {
  await promisify(execFile)(process.execPath, [join(docs, "main.ts"), "build-pages"], { cwd: docs });
  for (const page of [
    "index",
    "quick-start",
    "clients/codex",
    "reference/configuration",
    "operations/deploy",
    "runbooks/store-unavailable",
  ])
    expect(existsSync(join(docs, `dist/${page}.html`)), page).toBe(true);
  expect(existsSync(join(docs, "dist/icon.svg"))).toBe(true);
  const home = readFileSync(join(docs, "dist/index.html"), "utf8");
  expect(home).toContain('<link rel="icon" href="/icon.svg">');
  expect(home).toContain('href="/guide/console"');
  const quickStart = readFileSync(join(docs, "dist/quick-start.html"), "utf8");
  expect(quickStart).toContain('signs you in to <a href="./guide/console">the console</a>');
  expect(readFileSync(join(docs, "dist/reference/errors.html"), "utf8")).toContain("insufficient_quota");
  const api = readFileSync(join(docs, "dist/reference/api.html"), "utf8");
  for (const { path } of endpointIds.map(endpointOf)) expect(api.replaceAll("&#123;", "{"), path).toContain(path);
  expect(api).toContain("max_completion_tokens");
  expect(api).toContain("also written x-goog-api-key");
  expect(readFileSync(join(docs, "dist/reference/fields.html"), "utf8")).toContain("tools.web-search.options");
  expect(readFileSync(join(docs, "dist/vendors/azure.html"), "utf8")).toContain("provider: azure");
});
