import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { chart, localRelease } from "./chart.ts";

/** Writes the chart. For a release, the arguments set the version, the registry and another folder. */
const { version, registry } = localRelease();
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
