import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Further files on which a bundle depends. */
const otherFiles = ["pnpm-lock.yaml", "node_modules/.pnpm/lock.yaml"];

/** Package with a separate build. */
const separatePackage = "services/console";

/**
 * Returns a text that changes with every file of a bundle. Reads only sizes and times, because every start waits for
 * it.
 */
export function sourceStamp(root: string): string {
  const packages = ["libs", "services"].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => `${kind}/${name}`),
  );
  const folders = [...packages, "e2e/simulator"].filter((name) => name !== separatePackage);
  const files = [
    ...folders.flatMap((folder) => [`${folder}/package.json`, ...sourcesBelow(root, `${folder}/src`)]),
    ...sourcesBelow(root, "deploy/build"),
    ...otherFiles,
  ];
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    const { size, mtimeMs } = statSync(join(root, file), { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function sourcesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "test" ? [] : sourcesBelow(root, path);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}
