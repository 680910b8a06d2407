import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dashboards } from "./dashboards.ts";

/** Writes the dashboards that Grafana reads. A test checks that they are up to date. */
for (const [file, text] of dashboards()) writeFileSync(join(import.meta.dirname, "dashboards", file), text);
