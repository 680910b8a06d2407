import { callsRows } from "./calls-dashboard.ts";
import { dashboardJson } from "./grafana-json.ts";
import { partsRows } from "./parts-dashboard.ts";

/** The dashboards as files for Grafana, by their name. */
export function dashboards(): ReadonlyMap<string, string> {
  return new Map([
    ["calls.json", dashboardJson("modelgate-calls", "modelgate: calls", callsRows)],
    ["parts.json", dashboardJson("modelgate-parts", "modelgate: parts", partsRows)],
  ]);
}
