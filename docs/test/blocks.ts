import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Code block of a page. */
export interface Block {
  /** Page and line, in the form that editors open. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
  /** Reason why the block is not run, from `<!-- not run: … -->` before it. */
  readonly notRun: string | undefined;
  /** Text that the output must contain, from `<!-- prints: … -->` after it. */
  readonly prints: string | undefined;
}

/** Returns all code blocks of the site. */
export function blocksOf(folder: string): readonly Block[] {
  const pages = globSync("**/*.md", { cwd: folder, exclude: (name) => name === "node_modules" || name === "dist" });
  return pages.sort().flatMap((page) => blocksIn(page, readFileSync(join(folder, page), "utf8")));
}

const fence =
  /(?:^ *<!-- not run: (?<why>.+?) -->\n)?^(?<indent> *)```(?<language>\w*)[^\n]*\n(?<text>[\s\S]*?)^ *```$(?:\n *<!-- prints: (?<prints>.+?) -->)?/gm;

/** Returns the code blocks in a page's text. */
export function blocksIn(page: string, markdown: string): readonly Block[] {
  return [...markdown.matchAll(fence)].map(({ index, groups = {} }) => ({
    place: `${page}:${markdown.slice(0, index).split("\n").length}`,
    language: groups["language"] ?? "",
    text: (groups["text"] ?? "").replaceAll(new RegExp(`^${groups["indent"] ?? ""}`, "gm"), ""),
    notRun: groups["why"],
    prints: groups["prints"],
  }));
}
