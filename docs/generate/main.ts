import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apiPage } from "./api.ts";
import { configurationPage } from "./configuration.ts";
import { environmentPage } from "./environment.ts";
import { repositoryPage, repositoryPages } from "./repository-page.ts";
import { textFieldsPage } from "./text-fields.ts";
import { vendorFragments, vendorTable } from "./vendors.ts";

const folder = join(import.meta.dirname, "../generated");

/** Writes every page that comes from elsewhere in the repository into `docs/generated`, which is not under version control. */
export async function generate(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const write = (path: string, text: string): void => {
    const file = join(folder, `${path}.md`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write("reference/configuration", configurationPage());
  write("reference/environment", await environmentPage());
  write("reference/api", apiPage());
  write("reference/fields", textFieldsPage());
  for (const [file, path] of Object.entries(repositoryPages)) write(path, repositoryPage(file));
  write("fragments/all-vendors", `${vendorTable()}\n`);
  for (const [name, text] of vendorFragments()) write(`fragments/${name}`, text);
}
