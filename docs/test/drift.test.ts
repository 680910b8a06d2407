import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  alertKinds,
  alertTargetKinds,
  endpointIds,
  endpointOf,
  failures,
  modelKinds,
  priceFields,
  toolPriceFields,
  totalsDimensionNames,
} from "@modelgate/contracts";
import { describeVariables } from "@modelgate/deploy/reference";
import { providers } from "@modelgate/providers";
import { wires as images } from "@modelgate/wires/images";
import { wires as moderation } from "@modelgate/wires/moderation";
import { wires as ranking } from "@modelgate/wires/ranking";
import { wires as realtime } from "@modelgate/wires/realtime";
import { wires as speech } from "@modelgate/wires/speech";
import { wires as transcripts } from "@modelgate/wires/transcripts";
import { wires as vectors } from "@modelgate/wires/vectors";
import { wires as video } from "@modelgate/wires/video";
import { environmentPage, firstVariables } from "../generate/environment.ts";
import { generate } from "../generate/main.ts";
import { metricsPage } from "../generate/metrics.ts";
import { countsIn, listsIn, rowsOfTable } from "./drift.ts";

const root = join(import.meta.dirname, "../..");
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");
/** Generated files, and the changelog. */
const generated =
  /^CHANGELOG\.md$|^libs\/contracts\/FAILURES\.md$|^e2e\/(?:[A-Z_]+|bench\/history)\.md$|^services\/console\/src\/api\//;
const filesOf = (...globs: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", ...globs], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => !generated.test(file) && existsSync(join(root, file)));
const pages = filesOf("*.md");
const pagesAndConsole = [...pages, ...filesOf("services/console/src/*.ts", "services/console/src/*.tsx")];

/** Names that the code lists once, in a table. */
interface List {
  readonly of: string;
  readonly names: readonly string[];
  readonly files: readonly string[];
  /** Maximum of names that a hand-written paragraph, list or table may have as examples. */
  readonly maxExamples: number;
  /** Markdown tables that must have all names in their first column: the heading of this column, by file. */
  readonly tables?: Readonly<Record<string, string>>;
  /** True if the console shows these names, so that its dictionary needs all of them. */
  readonly areTranslated?: true;
}

const clients = globSync("docs/clients/*.md", { cwd: root })
  .map((page) => /^# (.*)$/m.exec(textOf(page))?.[1] ?? page)
  .filter((title) => title !== "Clients");
const environment = (await describeVariables()).filter(({ service }) => service !== "simulator");
const metrics = [...(await metricsPage()).matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
const [, schema = ""] = textOf("libs/books/src/schema.ts").split("export interface Tables {");

const lists: readonly List[] = [
  {
    of: "vendors",
    names: Object.values(providers).map(({ name, title = name }) => title),
    files: pagesAndConsole,
    maxExamples: 6,
  },
  { of: "clients", names: clients, files: pagesAndConsole, maxExamples: 5 },
  { of: "endpoints", names: endpointIds.map((id) => endpointOf(id).path), files: pagesAndConsole, maxExamples: 6 },
  { of: "failures", names: Object.keys(failures), files: pagesAndConsole, maxExamples: 5 },
  { of: "kinds of models", names: modelKinds, files: pagesAndConsole, maxExamples: 4, areTranslated: true },
  {
    of: "variables",
    names: environment.flatMap(({ variables }) => variables.map(({ name }) => name)),
    files: pagesAndConsole,
    maxExamples: 7,
  },
  { of: "metrics", names: metrics, files: pagesAndConsole, maxExamples: 4 },
  {
    of: "services",
    names: environment.map(({ service }) => service).filter((name) => name !== "gateway"),
    files: pagesAndConsole,
    maxExamples: 4,
    tables: { "deploy/README.md": "service", "docs/runbooks/service-gone.md": "service" },
  },
  {
    of: "alerts",
    names: alertKinds,
    files: pagesAndConsole,
    maxExamples: 4,
    tables: { "docs/guide/alerts.md": "kind" },
    areTranslated: true,
  },
  {
    of: "targets of alerts",
    names: alertTargetKinds,
    files: pagesAndConsole,
    maxExamples: 3,
    tables: { "docs/guide/alerts.md": "target" },
    areTranslated: true,
  },
  {
    of: "prices",
    names: [...Object.keys(priceFields), ...Object.keys(toolPriceFields)],
    files: pagesAndConsole,
    maxExamples: 6,
    areTranslated: true,
  },
  { of: "dimensions of usage", names: totalsDimensionNames, files: pages, maxExamples: 8 },
  {
    of: "tables of the books",
    names: [...schema.matchAll(/^ {2}(\w+): \w+Table;$/gm)].map(([, name = ""]) => name),
    files: pages,
    maxExamples: 5,
    tables: { "libs/books/README.md": "table" },
  },
];

const dictionary = "services/console/src/texts/chinese-words.ts";
/** Files that may have longer lists, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  [dictionary]: "a test requires all names",
  "docs/guide/settings.md": "the page decides which variables matter most (tested below)",
  "e2e/simulator/README.md": "it documents the vendors' endpoints",
  "services/console/src/parts/client-settings.ts": "client-settings.test.ts compares it with docs/clients",
  "services/console/src/parts/code-samples.ts": "the compiler requires a sample for each kind of the playground",
  "services/console/src/parts/part-fields.ts": "the compiler requires a label for each price",
  "services/console/src/parts/playground-kinds.ts": "the file decides which kinds the playground has",
  "services/console/src/texts/refusals.ts": "the compiler requires a text for each error of control",
};

describe("hand-written texts", () => {
  test("contain no count of what a table in the code lists", () => {
    const found = pages.flatMap((page) => countsIn(textOf(page)).map(({ line, text }) => `${page}:${line}: ${text}`));
    expect(found).toEqual([]);
  });

  test.each(lists)("list only a few examples of $of", ({ names, files, maxExamples, tables = {} }) => {
    const found = files
      .filter((file) => !(file in exceptions) && !(file in tables))
      .flatMap((file) => listsIn(textOf(file), names, maxExamples).map(({ line, text }) => `${file}:${line}: ${text}`));
    expect(found).toEqual([]);
  });

  test.each(lists.filter(({ tables }) => tables !== undefined))(
    "have all $of in their tables",
    ({ names, tables = {} }) => {
      for (const [file, heading] of Object.entries(tables))
        expect(rowsOfTable(textOf(file), heading).toSorted(), file).toEqual(names.toSorted());
    },
  );

  test.each(lists.filter(({ areTranslated }) => areTranslated === true))(
    "of the console have all $of in Chinese",
    async ({ names }) => {
      const { chineseWords }: { readonly chineseWords: object } = await import(join(root, dictionary));
      expect(names.filter((name) => !Object.hasOwn(chineseWords, name))).toEqual([]);
    },
  );

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

  test("start each Deployment that they stop", () => {
    const scales = /scale (deployment\/[\w-]+) --replicas=(\d+)/g;
    const found = pages.flatMap((page) => {
      const last = new Map([...textOf(page).matchAll(scales)].map(([, name = "", count]) => [name, count]));
      return [...last].filter(([, count]) => count === "0").map(([name]) => `${page}: ${name}`);
    });
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

describe("generated pages", () => {
  test("start the variables with the most important ones, and have every variable once for each default", async () => {
    const page = await environmentPage();
    const [, begin = "", ...rest] = page.split("\n## ");
    const namesIn = (text: string): readonly string[] =>
      [...text.matchAll(/^\| `(.+?)` \|/gm)].map(([, name = ""]) => name);
    expect(namesIn(begin)).toEqual(firstVariables);
    expect(firstVariables.length).toBe(10);
    const others = rest.flatMap(namesIn);
    expect(others).toContain("<NAME>_OPS_PORT");
    expect(others.filter((name) => firstVariables.includes(name))).toEqual([]);
    const defaultsApart = ["BODY_BYTES"];
    expect(others.filter((name, at) => others.indexOf(name) !== at).toSorted()).toEqual(defaultsApart);
  });

  test("exist at every moment for a concurrent build while they are generated again", async () => {
    const files = () => globSync("**/*.md", { cwd: join(root, "docs/generated") });
    await generate();
    const before = files();
    expect(before).toContain("reference/api.md");
    const snapshots: (readonly string[])[] = [];
    const again = generate();
    const watch = setInterval(() => snapshots.push(files()), 1);
    await again;
    clearInterval(watch);
    for (const found of [...snapshots, files()]) expect(before.filter((file) => !found.includes(file))).toEqual([]);
  });
});

describe("the checks find", () => {
  const page =
    "# A page\n\nIt works with seventeen clients.\n\n```sh\nls # two vendors\n```\n\n- Groq, xAI, Mistral\n- Jina\n";

  test("a count outside a code block", () => {
    expect(countsIn(page)).toEqual([{ line: 3, text: "seventeen clients" }]);
    expect(countsIn("over vendors of all four text formats")).toHaveLength(1);
    expect(countsIn("two replicas, and three Sentinels")).toEqual([]);
  });

  test.each(lists)("a long list of $of in a sentence, a table or code", ({ names, maxExamples }) => {
    const many = [...new Set(names)].slice(0, maxExamples + 1);
    const texts = [
      `It has ${many.slice(1).join(", ")} and ${many[0] ?? ""}.\n`,
      `- \`${many.join("`\n- `")}\`\n`,
      `| a | ${many.join(" | b |\n| a | ")} | b |\n`,
      `const list = ["${many.join('", "')}"];\n`,
      `const table = {\n  "${many.join('": 1,\n  "')}": 1,\n};\n`,
    ];
    expect(texts.filter((text) => listsIn(text, names, maxExamples).length === 0)).toEqual([]);
  });

  test("names in an example of code or in ordinary sentences no list", () => {
    expect(listsIn("```sh\nset chat, image, video\n```\n", ["chat", "image", "video"], 0)).toEqual([]);
    expect(listsIn("A text call becomes a video task.\n", ["text", "video"], 0)).toEqual([]);
  });

  test("the rows of a table", () => {
    const tables = "| a | b |\n|---|---|\n| x | y |\n\n| name | b |\n|---|---|\n| `c`, `d` | x |\n| e | y |\n\nText.\n";
    expect(rowsOfTable(tables, "name")).toEqual(["c", "d", "e"]);
    expect(rowsOfTable(tables, "c")).toEqual([]);
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
