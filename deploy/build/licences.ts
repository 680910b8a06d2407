import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Names of files that state a package's licence or must accompany it. */
const statements = /^(licen[cs]e|copying|notice)/i;

/** Writes the licences of the packages to which modules belong into one file. */
export function writeLicences(file: string, modules: readonly string[]): void {
  const folders = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const parts = [...folders].map((folder) => {
    const { name, version, license }: { name: string; version: string; license?: unknown } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    const texts = readdirSync(folder)
      .filter((each) => statements.test(each))
      .map((each) => readFileSync(join(folder, each), "utf8").trim());
    return [`${name} ${version} (${JSON.stringify(license)})`, ...texts].join("\n\n");
  });
  writeFileSync(file, `${parts.toSorted().join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}
