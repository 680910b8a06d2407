import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the repository. The first releases of Node 20 lack `import.meta.dirname`. */
export const root = join(fileURLToPath(new URL(".", import.meta.url)), "../../..");

/** Folder of downloaded tools. It can be deleted. */
export const tools = join(root, ".tools");

/** Versions of the tools that are known to work together. */
export const versions = { node: "24.21.0", nodeMajor: 24, pnpm: "12.21.0", pnpmMajor: 12, helm: "3.18.6" };

/** Name that npm uses for this platform. */
export const platform = `${process.platform}-${process.arch}`;
