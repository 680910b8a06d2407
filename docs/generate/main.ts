import { globSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiPage } from "./api.ts";
import { clientsTable } from "./clients.ts";
import { configurationPage } from "./configuration.ts";
import { environmentPage } from "./environment.ts";
import { kindFieldsTables } from "./kind-fields.ts";
import { metricsPage } from "./metrics.ts";
import { repositoryPage, repositoryPages } from "./repository-page.ts";
import { kindsTable, otherEndpoints, unimplementedEndpoints } from "./served.ts";
import { textFieldsPage } from "./text-fields.ts";
import { vendorFragments, vendorTable } from "./vendors.ts";

const folder = join(import.meta.dirname, "../generated");

async function pages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["reference/configuration", configurationPage()],
    ["reference/environment", await environmentPage()],
    ["reference/api", apiPage()],
    ["reference/fields", `${textFieldsPage()}\n${kindFieldsTables()}`],
    ["reference/metrics", await metricsPage()],
    ...Object.entries(repositoryPages).map(([file, path]) => [path, repositoryPage(file)] as const),
    ["fragments/all-vendors", `${vendorTable()}\n`],
    ["fragments/clients", `${clientsTable()}\n`],
    ["fragments/kinds", `${kindsTable()}\n`],
    ["fragments/other-endpoints", `${otherEndpoints()}\n`],
    ["fragments/unimplemented-endpoints", `${unimplementedEndpoints()}\n`],
    ...Array.from(vendorFragments(), ([name, text]) => [`fragments/${name}`, text] as const),
  ]);
}

/**
 * Writes the generated pages into `docs/generated`. Each page is replaced in one step, because the site may be built at
 * the same time.
 */
export async function generate(): Promise<void> {
  const written = new Set<string>();
  for (const [path, text] of await pages()) {
    const file = `${path}.md`;
    written.add(file);
    replaceFile(join(folder, file), text);
  }
  for (const file of globSync("**/*.md", { cwd: folder })) if (!written.has(file)) rmSync(join(folder, file));
}

function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, text);
  renameSync(temporaryFile, file);
}
