import { resolve } from "node:path";
import { buildCurrent } from "./builds.ts";
import { bundle } from "./bundle.ts";
import { programNames, root } from "./programs.ts";

/**
 * Bundles all programs if a source has changed, and prints the folder. With arguments, bundles the named programs into
 * a folder.
 */
const [, , folder, ...names] = process.argv;
if (folder === undefined) process.stdout.write(await buildCurrent(root, bundle));
else
  await bundle(
    resolve(folder),
    programNames.filter((name) => names.includes(name)),
  );
