import { memberOf, textAt } from "../checks/members.ts";
import { Shapes } from "../checks/notation.ts";
import { bracketPath, Refusal, requireShape } from "../checks/refusal.ts";
import { freshId } from "../core/ids.ts";
import type { Vendor } from "../vendor.ts";
import { createReceiver } from "./receiver.ts";

// https://developer.pagerduty.com/docs/events-api-v2-overview
const event = new Shapes(String.raw`
  Payload = {
    summary: /^[^]{1,1024}$/ "1 to 1024 characters", source: filled, severity: "info" | "warning" | "error" | "critical",
    timestamp?: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/ "an ISO 8601 time", component?: string, group?: string,
    class?: string, custom_details?: object
  };
  Event = {
    routing_key: /^[A-Za-z0-9]{32}$/ "32 characters", event_action: "trigger" | "acknowledge" | "resolve",
    dedup_key?: /^[^]{1,255}$/ "1 to 255 characters", payload?: Payload, client?: string, client_url?: string,
    links?: object[], images?: object[]
  };
`).of("Event");

/** PagerDuty's Events API v2. */
export const pagerduty: Vendor = createReceiver({
  prefix: "/pagerduty",
  path: /^\/v2\/enqueue$/,
  maxBytes: 512 * 1024,
  accept({ body }) {
    requireShape(body, event);
    const needed = textAt(body, "event_action") === "trigger" ? "payload" : "dedup_key";
    if (memberOf(body, needed) === undefined)
      throw new Refusal(400, `'${needed}' is missing or blank`, { path: [needed] });
    const key = textAt(body, "dedup_key") ?? freshId("");
    return { status: 202, body: { status: "success", message: "Event processed", dedup_key: key } };
  },
  renderError({ status, path, message: text, problem }) {
    if (status !== 400) return { status, body: { status: "throttle exceeded", message: text, errors: [] } };
    const error = problem === "missing" ? `'${bracketPath(path)}' is missing or blank` : text;
    return { status, body: { status: "invalid event", message: "Event object is invalid", errors: [error] } };
  },
});
