import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A code block of a page. */
export interface Block {
  /** Its page and line, as editors open them. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  /** Why it is not run: `<!-- not run: … -->` before it. */
  readonly notRun: string | undefined;
  /** What its output must have: `<!-- prints: … -->` after it. */
  readonly prints: string | undefined;
}

/** Every code block of the site, those of generated pages too. */
export function blocksOf(folder: string): readonly Block[] {
  const pages = globSync("**/*.md", { cwd: folder, exclude: (name) => name === "node_modules" || name === "dist" });
  return pages.sort().flatMap((page) => blocksIn(page, readFileSync(join(folder, page), "utf8")));
}

const fence =
  /(?:^ *<!-- not run: (?<why>.+?) -->\n)?^(?<indent> *)```(?<language>\w*)[^\n]*\n(?<text>[\s\S]*?)^ *```$(?:\n *<!-- prints: (?<prints>.+?) -->)?/gm;

/** The code blocks of a page's text. */
export function blocksIn(page: string, markdown: string): readonly Block[] {
  return [...markdown.matchAll(fence)].map(({ index, groups = {} }) => ({
    place: `${page}:${markdown.slice(0, index).split("\n").length}`,
    language: groups["language"] ?? "",
    text: (groups["text"] ?? "").replaceAll(new RegExp(`^${groups["indent"] ?? ""}`, "gm"), ""),
    notRun: groups["why"],
    prints: groups["prints"],
  }));
}
