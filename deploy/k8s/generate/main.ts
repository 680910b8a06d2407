import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./files.ts";

/** Writes the generated files of `deploy/k8s`. */
for (const [file, text] of generatedFiles()) writeFileSync(join(import.meta.dirname, "..", file), text);
