import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { endpointIds, endpointOf, failures } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { wires as images } from "@modelgate/wires/images";
import { wires as moderation } from "@modelgate/wires/moderation";
import { wires as ranking } from "@modelgate/wires/ranking";
import { wires as realtime } from "@modelgate/wires/realtime";
import { wires as speech } from "@modelgate/wires/speech";
import { wires as transcripts } from "@modelgate/wires/transcripts";
import { wires as vectors } from "@modelgate/wires/vectors";
import { wires as video } from "@modelgate/wires/video";
import { countsIn, listsIn } from "./drift.ts";

const root = join(import.meta.dirname, "../..");
/** Paths of generated pages, and of the changelog. */
const generated = /^CHANGELOG\.md$|^libs\/contracts\/FAILURES\.md$|^e2e\/(?:[A-Z_]+|bench\/history)\.md$/;
const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((page) => !generated.test(page) && existsSync(join(root, page)));
const textOf = (page: string): string => readFileSync(join(root, page), "utf8");

const vendors = [...new Set(Object.values(providers).map(({ name, title = name }) => title))];
const clients = globSync("docs/clients/*.md", { cwd: root })
  .map((page) => /^# (.*)$/m.exec(textOf(page))?.[1] ?? page)
  .filter((title) => title !== "Clients");
const paths = endpointIds.map((id) => endpointOf(id).path);

/** Tables of which a hand-written page may name at most `maxExamples` rows. */
const tables: readonly { readonly of: string; readonly names: readonly string[]; readonly maxExamples: number }[] = [
  { of: "vendors", names: vendors, maxExamples: 6 },
  { of: "clients", names: clients, maxExamples: 5 },
  { of: "endpoints", names: [...new Set(paths)], maxExamples: 6 },
  { of: "failures", names: Object.keys(failures), maxExamples: 5 },
];

/** Page that may list more, because it documents the vendors' endpoints. */
const simulator = "e2e/simulator/README.md";

describe("hand-written pages", () => {
  test("contain no count of what a table in the code lists", () => {
    const found = pages.flatMap((page) => countsIn(textOf(page)).map(({ line, text }) => `${page}:${line}: ${text}`));
    expect(found).toEqual([]);
  });

  test.each(tables)("list only a few examples of $of", ({ names, maxExamples }) => {
    const found = pages
      .filter((page) => page !== simulator)
      .flatMap((page) => listsIn(textOf(page), names, maxExamples).map(({ line, text }) => `${page}:${line}: ${text}`));
    expect(found).toEqual([]);
  });

  test("name only source files that exist", () => {
    const found = pages.flatMap((page) =>
      [
        ...textOf(page).matchAll(
          /`((?:[\w@.*-]+\/)+[\w.*-]*\.(?:ts|tsx|lua|mjs|yaml|json|sh)|(?:src|test)\/[\w./*-]+)`/g,
        ),
      ]
        .map(([, path = ""]) => path)
        .filter((path) => !doesPathExist(page, path))
        .map((path) => `${page}: ${path}`),
    );
    expect(found).toEqual([]);
  });

  test("name only tests that exist", () => {
    const found = pages.flatMap((page) =>
      [...textOf(page).matchAll(/`pnpm vitest (?:run )?([^`]+)`/g)]
        .filter(([, paths = ""]) => !paths.split(" ").every(hasTests))
        .map(([command]) => `${page}: ${command}`),
    );
    expect(found).toEqual([]);
  });
});

test.each(Object.entries({ images, moderation, ranking, realtime, speech, transcripts, vectors, video }))(
  "the README of %s describes every wire of its registry, and no other",
  (kind, wires) => {
    const text = textOf(`libs/wires/src/${kind}/README.md`);
    const cells = text.slice(text.indexOf("## Wires")).matchAll(/^(?:\| (`[^|]*)\||\*\*(`[\w-]+`)\*\*)/gm);
    const names = [...cells].flatMap(([, cell = "", bold = ""]) =>
      [...`${cell}${bold}`.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name),
    );
    expect([...new Set(names)].toSorted()).toEqual(Object.keys(wires).toSorted());
  },
);

describe("the checks find", () => {
  const page =
    "# A page\n\nIt works with seventeen clients.\n\n```sh\nls # two vendors\n```\n\n- Groq, xAI, Mistral\n- Jina\n";

  test("a count outside a code block", () => {
    expect(countsIn(page)).toEqual([{ line: 3, text: "seventeen clients" }]);
    expect(countsIn("over vendors of all four text formats")).toHaveLength(1);
    expect(countsIn("two replicas, and three Sentinels")).toEqual([]);
  });

  test("a list that is longer than a few examples", () => {
    expect(listsIn(page, ["Groq", "xAI", "Mistral", "Jina"], 3)).toEqual([
      { line: 9, text: "Groq, xAI, Mistral, Jina" },
    ]);
    expect(listsIn(page, ["Groq", "xAI", "Mistral", "Jina"], 4)).toEqual([]);
  });
});

/** Returns whether a path exists below the page's folder, its package, or the repository. */
function doesPathExist(page: string, path: string): boolean {
  for (let folder = dirname(page); ; folder = dirname(folder)) {
    if (
      ["", "src", "test", "src/*", "services/*"].some(
        (below) => globSync(join(folder, below, path), { cwd: root }).length > 0,
      )
    )
      return true;
    if (folder === ".") return false;
  }
}

function hasTests(path: string): boolean {
  const files = globSync([path, `${path}*`, `${path}*/**`], { cwd: root });
  return files.some((file) => file.endsWith(".test.ts"));
}
