import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** Builds the console into dist/, unless dist/ was built from the present sources. */
const folder = import.meta.dirname;
const dist = join(folder, "dist");
const stamp = ".built-from";
const sources = sourceHash();
if (!isBuilt()) {
  // With another value, such as `test`, vite would build the development version of React.
  process.env["NODE_ENV"] = "production";
  const { build } = await import("vite"); // most starts build nothing
  // Built in a separate folder, because other processes may read or build dist/.
  const newBuild = join(folder, `node_modules/.cache/dist-${process.pid}`);
  await build({ root: folder, logLevel: "error", build: { outDir: newBuild, emptyOutDir: true } });
  compressAll(newBuild);
  writeFileSync(join(newBuild, stamp), sources);
  replaceDist(newBuild);
}

function isBuilt(): boolean {
  const file = join(dist, stamp);
  return existsSync(file) && readFileSync(file, "utf8") === sources;
}

/** Replaces dist/, unless another process has built the same sources. */
function replaceDist(newBuild: string): void {
  const before = `${newBuild}-before`;
  try {
    // Another process has built the same sources, and may already serve this build.
    if (isBuilt()) return;
    if (existsSync(dist)) renameSync(dist, before);
    renameSync(newBuild, dist);
  } catch (error) {
    if (!isBuilt()) throw error;
  } finally {
    for (const left of [before, newBuild]) rmSync(left, { recursive: true, force: true });
  }
}

/** Writes compressed forms of files, which control serves to browsers. */
function compressAll(built: string): void {
  for (const name of readdirSync(built, { recursive: true, encoding: "utf8" })) {
    if (!/\.(js|css|html|svg)$/.test(name)) continue;
    const file = join(built, name);
    const text = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(text));
  }
}

function sourceHash(): string {
  const hash = createHash("sha256");
  const files = ["src", "public"].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const more = ["build.ts", "index.html", "vite.config.ts", "package.json", "../../pnpm-lock.yaml"].map((name) =>
    join(folder, name),
  );
  for (const file of [...files.toSorted(), ...more]) hash.update(file.slice(folder.length)).update(readFileSync(file));
  return hash.digest("hex");
}
