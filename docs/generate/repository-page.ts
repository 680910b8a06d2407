import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Reasons why the commands of a page are not run, by file. */
const notRun: Readonly<Record<string, string>> = {
  "deploy/helm/README.md": "it needs a cluster; deploy/helm/test renders the chart",
};

/** Files of the repository that are pages of the site. */
export const repositoryPages: Readonly<Record<string, string>> = {
  "deploy/README.md": "operations/deploy",
  "deploy/helm/README.md": "operations/helm",
  "deploy/capacity.md": "operations/capacity",
  "deploy/monitoring/README.md": "operations/monitoring",
  "ARCHITECTURE.md": "operations/architecture",
  "e2e/CHAOS.md": "operations/chaos",
  "e2e/SOAK.md": "operations/soak",
  "e2e/ATTACK.md": "operations/attack",
  "libs/contracts/FAILURES.md": "reference/errors",
};

/**
 * Returns a file of the repository as a page of the site. Links lead to pages of the site, or become paths in the
 * repository. Pictures are omitted.
 */
export function repositoryPage(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  const reason = notRun[file];
  return text
    .replaceAll(/^(?= *```\w)/gm, reason === undefined ? "" : `<!-- not run: ${reason} -->\n`)
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "")
    .replaceAll(/\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (_, label: string, target: string, at = "") => {
      const path = relative(root, join(root, dirname(file), target));
      const page = repositoryPages[path] ?? /^docs\/(.+)\.md$/.exec(path)?.[1];
      if (page !== undefined) return `[${label}](/${page}${at})`;
      const plain = label.replaceAll("`", "");
      return path.endsWith(plain) ? `\`${path}\`` : `${label} (\`${path}\`)`;
    });
}
