import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dashboards } from "./dashboards.ts";

/** Writes the dashboards for Grafana. */
for (const [file, text] of dashboards()) writeFileSync(join(import.meta.dirname, "dashboards", file), text);
