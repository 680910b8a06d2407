import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. Not by `import.meta.dirname`: the first releases of Node 20 have none. */
export const root = join(fileURLToPath(new URL(".", import.meta.url)), "../../..");

/** What this repository brings for itself; never under version control, safe to delete. */
export const tools = join(root, ".tools");

/** The versions that are known to work together. */
export const versions = { node: "24.21.0", nodeMajor: 24, pnpm: "12.21.0", pnpmMajor: 12, helm: "3.18.6" };

/** npm's name for this kind of machine. */
export const platform = `${process.platform}-${process.arch}`;
