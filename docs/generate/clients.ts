import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { blocksIn, type Block } from "../test/blocks.ts";

const folder = join(import.meta.dirname, "../clients");
const address = /https?:\/\/(?:127\.0\.0\.1:8080|modelgate\.example\.com)(?<path>[\w/.-]*)/g;

/** Writes the table of clients from their pages: the address each one needs, and how its page was tried. */
export function clientsTable(): string {
  const rows = readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => {
      const page = file.replace(".md", "");
      const text = readFileSync(join(folder, file), "utf8");
      const blocks = blocksIn(file, text);
      return { title: /^# (.*)$/m.exec(text)?.[1] ?? page, page, address: addressOf(blocks), tried: triedBy(blocks) };
    })
    .toSorted((a, b) => a.title.localeCompare(b.title, "en"));
  return [
    "| client | address | tried |",
    "|---|---|---|",
    ...rows.map((row) => `| [${row.title}](/clients/${row.page}) | ${row.address} | ${row.tried} |`),
  ].join("\n");
}

/** Returns whether a client appends `/v1` by itself, as the addresses in its samples show. */
function addressOf(blocks: readonly Block[]): string {
  const paths = blocks.flatMap(({ text }) => [...text.matchAll(address)].map(({ groups }) => groups?.["path"] ?? ""));
  const forms = new Set(paths.map((path) => path.replace(/\/$/, "")));
  if (forms.has("/v1") && forms.has("")) return "depends on the model's prefix";
  if (forms.has("/v1")) return "with `/v1`";
  return forms.has("") ? "without `/v1`" : "with the endpoint's path";
}

function triedBy(blocks: readonly Block[]): string {
  if (blocks.some(({ notRun }) => notRun === undefined)) return "by a test";
  const reasons = blocks.map(({ notRun = "" }) => notRun).join(" ");
  if (reasons.includes("npm run docs -- programs")) return "by `npm run docs -- programs`";
  return /by hand on [\d-]+/.exec(reasons)?.[0] ?? "no";
}
