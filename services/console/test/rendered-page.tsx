import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRouter, RouterProvider } from "@tanstack/react-router";
import { renderToStaticMarkup } from "react-dom/server";
import { vi } from "vitest";
import type { Operations } from "../src/api/types.ts";
import { router } from "../src/router.tsx";

/** Answers of control's API by method and path. Other requests are not found. */
export type Answers = { readonly [Route in keyof Operations]?: Operations[Route]["answer"] };

/** Maximum number of times that a page sends requests after the answers to earlier ones. */
const maxRounds = 4;

/** Returns the HTML of a page of the console for an admin, without its navigation. Needs no browser. */
export async function renderedPage(path: string, answers: Answers): Promise<string> {
  const session: Answers = { "GET /session": { name: "ada", role: "admin", account: null, email: null } };
  const all = new Map<string, unknown>(Object.entries({ ...session, ...answers }));
  vi.stubGlobal("fetch", (address: string, { method = "GET" }: RequestInit = {}) => {
    const [route = ""] = `${method} ${address}`.split("?");
    return Promise.resolve(Response.json({ data: all.get(route) }, { status: all.has(route) ? 200 : 404 }));
  });
  vi.stubGlobal("localStorage", { getItem: () => "en" });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const history = createMemoryHistory({ initialEntries: [`/console/${path}`] });
  const opened = createRouter({ ...router.options, history });
  try {
    await opened.load();
    for (let round = 0; round < maxRounds; round++) {
      const html = renderToStaticMarkup(
        <MantineProvider>
          <QueryClientProvider client={queries}>
            <RouterProvider router={opened} />
          </QueryClientProvider>
        </MantineProvider>,
      );
      // React replaces a part that throws an error by its message.
      if (html.includes("<template data-msg=")) throw new Error(html);
      const pending = queries.getQueryCache().findAll({ predicate: ({ state }) => state.status === "pending" });
      if (pending.length === 0) return html.slice(html.indexOf("<main"));
      await Promise.allSettled(pending.map((query) => query.fetch()));
    }
  } finally {
    vi.unstubAllGlobals();
  }
  throw new Error(`${path} sends requests after each answer`);
}

/** Returns the texts of the rows of a labelled table, without markup. */
export function rowsOf(html: string, label: string): readonly string[] {
  const [, table = ""] = html.split(new RegExp(`<table[^>]* aria-label="${label}"`));
  const [body = ""] = table.split("</table>");
  return [...body.matchAll(/<tr[\s\S]*?<\/tr>/g)].map(([row]) => textOf(row));
}

/** Returns the texts of a part of a page, separated by `|`. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<style[\s\S]*?<\/style>|<[^>]+>/g, "|")
    .replaceAll(/\|+/g, "|")
    .replaceAll(/^\||\|$/g, "");
}
