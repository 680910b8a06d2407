import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

const docs = join(import.meta.dirname, "..");

/** Pages that a new operator reads first, in this order. Other pages are sorted by their headings. */
const firstPages = [
  "console",
  "models",
  "prices",
  "money",
  "teams",
  "budgets",
  "rotate-keys",
  "alerts",
  "served",
  "failures",
  "settings",
].map((name) => `/guide/${name}`);

function placeOf(link: string): number {
  return firstPages.includes(link) ? firstPages.indexOf(link) : firstPages.length;
}

/** Returns links to the pages of a folder, with their headings. */
function pagesOf(folder: string): { text: string; link: string }[] {
  return readdirSync(join(docs, folder))
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => ({
      text: /^# (.*)$/m.exec(readFileSync(join(docs, folder, file), "utf8"))?.[1] ?? file,
      link: `/${folder}/${file.replace(".md", "")}`,
    }))
    .sort((a, b) => placeOf(a.link) - placeOf(b.link) || a.text.localeCompare(b.text));
}

// oxlint-disable-next-line import/no-default-export -- VitePress reads it so
export default defineConfig({
  title: "modelgate",
  description: "One address and one key for every AI model.",
  head: [["link", { rel: "icon", href: "/icon.svg" }]],
  outDir: "dist",
  cleanUrls: true,
  rewrites: { "generated/:path*": ":path*" },
  srcExclude: ["generated/fragments/**", "dist/**"],
  markdown: { attrs: { disable: true } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Quick start", link: "/quick-start" },
      { text: "Clients", link: "/clients/" },
      { text: "Vendors", link: "/vendors/" },
      { text: "Operations", link: "/operations/deploy" },
    ],
    sidebar: [
      { text: "Start", items: [{ text: "Quick start", link: "/quick-start" }, ...pagesOf("guide")] },
      { text: "Clients", link: "/clients/", collapsed: false, items: pagesOf("clients") },
      { text: "Vendors", link: "/vendors/", collapsed: true, items: pagesOf("vendors") },
      {
        text: "Reference",
        items: [
          { text: "Configuration", link: "/reference/configuration" },
          { text: "Environment", link: "/reference/environment" },
          { text: "API", link: "/reference/api" },
          { text: "Fields of requests", link: "/reference/fields" },
          { text: "Errors", link: "/reference/errors" },
          { text: "Metrics", link: "/reference/metrics" },
        ],
      },
      {
        text: "Operations",
        items: [
          { text: "Deploy", link: "/operations/deploy" },
          ...pagesOf("operations"),
          { text: "Helm chart", link: "/operations/helm" },
          { text: "Capacity", link: "/operations/capacity" },
          { text: "Monitoring", link: "/operations/monitoring" },
          { text: "Architecture", link: "/operations/architecture" },
          { text: "Results: faults", link: "/operations/chaos" },
          { text: "Results: long runs", link: "/operations/soak" },
          { text: "Results: attacks", link: "/operations/attack" },
        ],
      },
      { text: "Runbooks", link: "/runbooks/", collapsed: true, items: pagesOf("runbooks") },
    ],
  },
});
