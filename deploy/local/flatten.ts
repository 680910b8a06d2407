import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Makes each entry of packages that consist of hundreds of modules one file, where pnpm has put them: a module that Node
 * loads costs it some 0.4 ms and 30 KiB, whatever is in it. What an entry exports stays the same, and so do the types beside
 * it; a package that is not flattened works as well. The bootstrap runs this after an install: `flatten.ts [folder of pnpm]`.
 */
const packages: readonly string[] = ["typebox", "kysely"];

const installed = resolve(process.argv[2] ?? join(import.meta.dirname, "../../node_modules/.pnpm"));
/** Where a flattened package keeps what its entries share, and what it was flattened by. */
const [shared, madeBy] = ["flat", "flat/.made-by"];
const self = createHash("sha256")
  .update(readFileSync(import.meta.filename))
  .digest("hex");

for (const name of packages) for (const folder of copiesOf(name)) await flatten(folder);

/** Every installed version of a package. */
function copiesOf(name: string): readonly string[] {
  if (!existsSync(installed)) return [];
  return readdirSync(installed)
    .filter((entry) => entry.startsWith(`${name}@`))
    .map((entry) => join(installed, entry, "node_modules", name));
}

/** Bundles all entries of a package at once: what several have in common exists once, in files that they share. */
async function flatten(folder: string): Promise<void> {
  const stamp = join(folder, madeBy);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === self) return;
  const entries = entriesOf(folder);
  const { rolldown } = await import("rolldown"); // most runs find nothing to do
  const making = `${folder}.${process.pid}`;
  try {
    await using bundle = await rolldown({
      input: Object.fromEntries(entries.map((entry) => [entry, join(folder, entry)])),
      platform: "node",
      external: (id) => !/^[./]/.test(id),
      treeshake: false,
    });
    const { output } = await bundle.write({
      dir: making,
      entryFileNames: "[name]",
      chunkFileNames: `${shared}/[name]-[hash].mjs`,
    });
    // Entries last: one that is read meanwhile finds what it imports. A file is replaced and never written to: pnpm's store
    // and other trees have the same one.
    for (const isEntry of [false, true])
      for (const file of output)
        if ((file.type === "chunk" && file.isEntry) === isEntry) {
          const place = join(folder, file.fileName);
          mkdirSync(dirname(place), { recursive: true });
          renameSync(join(making, file.fileName), place);
        }
    const made = new Set(output.map(({ fileName }) => fileName));
    for (const name of readdirSync(join(folder, shared)))
      if (!made.has(`${shared}/${name}`)) rmSync(join(folder, shared, name)); // of an earlier way to flatten
    writeFileSync(stamp, self);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** The modules that a package's manifest lets others import. */
function entriesOf(folder: string): readonly string[] {
  const { exports }: { exports: unknown } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return [...new Set(modulesIn(exports))];
}

function modulesIn(target: unknown): readonly string[] {
  if (typeof target === "string") return /\.m?js$/.test(target) ? [target.slice("./".length)] : [];
  return typeof target === "object" && target !== null ? Object.values(target).flatMap(modulesIn) : [];
}
