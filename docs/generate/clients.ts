import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readClientRuns } from "../client-runs.ts";
import { blocksIn, type Block } from "../test/blocks.ts";

const folder = join(import.meta.dirname, "../clients");
const address = /https?:\/\/(?:127\.0\.0\.1:8080|modelgate\.example\.com)(?<path>[\w/.-]*)/g;

/** Returns the table of clients, from their pages and last runs. */
export function clientsTable(): string {
  const runs = readClientRuns();
  const rows = readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => {
      const page = file.replace(".md", "");
      const text = readFileSync(join(folder, file), "utf8");
      const blocks = blocksIn(file, text);
      return { title: /^# (.*)$/m.exec(text)?.[1] ?? page, page, address: addressOf(blocks), run: runs[page] };
    })
    .toSorted((a, b) => a.title.localeCompare(b.title, "en"));
  return [
    "| client | address | newest version | outcome |",
    "|---|---|---|---|",
    ...rows.map(({ title, page, address: form, run }) => {
      const { versions = "", date, outcome } = run ?? { outcome: "not run" };
      const dateText = date === undefined || outcome.startsWith("not run") ? "" : `, ${date}`;
      return `| [${title}](/clients/${page}) | ${form} | ${versions} | ${outcome}${dateText} |`;
    }),
  ].join("\n");
}

/** Describes the address that a client needs, from its samples. */
function addressOf(blocks: readonly Block[]): string {
  const paths = blocks.flatMap(({ text }) => [...text.matchAll(address)].map(({ groups }) => groups?.["path"] ?? ""));
  const forms = new Set(paths.map((path) => path.replace(/\/$/, "")));
  if (forms.has("/v1") && forms.has("")) return "depends on the model's prefix";
  if (forms.has("/v1")) return "with `/v1`";
  return forms.has("") ? "without `/v1`" : "with the endpoint's path";
}
