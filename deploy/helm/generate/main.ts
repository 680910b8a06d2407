import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { chart, unreleased } from "./chart.ts";

/**
 * Writes the chart, in place of what is in the folder; a test holds that the committed one is what this writes. A release
 * says its version, its registry, and a folder of its own.
 */
const { version, registry } = unreleased();
const { values } = parseArgs({
  options: {
    version: { type: "string", default: version },
    registry: { type: "string", default: registry },
    out: { type: "string", default: join(import.meta.dirname, "../modelgate") },
  },
});
const files = chart(values);
rmSync(values.out, { recursive: true, force: true });
for (const [file, text] of files) {
  mkdirSync(dirname(join(values.out, file)), { recursive: true });
  writeFileSync(join(values.out, file), text);
}
