import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dashboards } from "./dashboards.ts";

/** Writes the dashboards that Grafana reads; a test holds that they are what dashboards.ts says. */
for (const [file, text] of dashboards()) writeFileSync(join(import.meta.dirname, "dashboards", file), text);
