import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./programs.ts";

/** Files that name a package, state its licence, or must accompany it. */
const licenceFiles = /^(package\.json$|licen[cs]e|copying|notice)/i;

/** Copies the licences of the modules' packages to the same paths below a folder. */
export function writePackages(folder: string, modules: readonly string[]): void {
  for (const source of new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))) {
    const target = join(folder, relative(root, source));
    mkdirSync(target, { recursive: true });
    for (const entry of readdirSync(source, { withFileTypes: true }))
      if (entry.isFile() && licenceFiles.test(entry.name))
        copyFileSync(join(source, entry.name), join(target, entry.name));
  }
}
