import { callsRows } from "./calls-dashboard.ts";
import { dashboardJson } from "./grafana-json.ts";
import { partsRows } from "./parts-dashboard.ts";

/** Returns the dashboards for Grafana by file name. */
export function dashboards(): ReadonlyMap<string, string> {
  return new Map([
    ["calls.json", dashboardJson("modelgate-calls", "modelgate: calls", callsRows)],
    ["parts.json", dashboardJson("modelgate-parts", "modelgate: parts", partsRows)],
  ]);
}
