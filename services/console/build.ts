import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

/** Builds the console into dist/, unless what lies there was built from these very files. */
const folder = import.meta.dirname;
const stamp = join(folder, "dist/.built-from");
const sources = sourceHash();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== sources) {
  await build({ root: folder, logLevel: "error" });
  writeFileSync(stamp, sources);
}

/** A hash of every file that the build reads, and of the versions that the lockfile names. */
function sourceHash(): string {
  const hash = createHash("sha256");
  const files = ["src", "public"].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const more = ["index.html", "vite.config.ts", "package.json", "../../pnpm-lock.yaml"].map((name) =>
    join(folder, name),
  );
  for (const file of [...files.toSorted(), ...more]) hash.update(file.slice(folder.length)).update(readFileSync(file));
  return hash.digest("hex");
}
