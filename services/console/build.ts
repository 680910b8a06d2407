import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** Builds the console into dist/, unless what lies there was built from these very files. */
const folder = import.meta.dirname;
const stamp = join(folder, "dist/.built-from");
const sources = sourceHash();
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== sources) {
  const { build } = await import("vite"); // most starts have nothing to build, and no time for it
  await build({ root: folder, logLevel: "error" });
  compressAll();
  writeFileSync(stamp, sources);
}

/** Control serves what a browser takes of these, so that no request waits for compression. */
function compressAll(): void {
  for (const name of readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })) {
    if (!/\.(js|css|html|svg)$/.test(name)) continue;
    const file = join(folder, "dist", name);
    const text = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
    writeFileSync(`${file}.br`, brotliCompressSync(text));
  }
}

/** A hash of every file that the build reads, and of the versions that the lockfile names. */
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
