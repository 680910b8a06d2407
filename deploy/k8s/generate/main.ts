import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generated } from "./files.ts";

/** Writes the generated files of `base/`; a test holds that they are what the table says. */
for (const [file, text] of generated()) writeFileSync(join(import.meta.dirname, "..", file), text);
