import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Files of the repository that are pages of the site, by their path. */
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
 * Reads a file of the repository as a page of the site: links to files that are pages become links to those, links to other
 * files and pictures become their paths in the repository.
 */
export function repositoryPage(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  return text
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "")
    .replaceAll(/\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)/g, (_, label: string, target: string, at = "") => {
      const path = relative(root, join(root, dirname(file), target));
      const page = repositoryPages[path];
      if (page !== undefined) return `[${label}](/${page}${at})`;
      const plain = label.replaceAll("`", "");
      return path.endsWith(plain) ? `\`${path}\`` : `${label} (\`${path}\`)`;
    });
}
