import { curves, figure, row, states, type Row } from "./panels.ts";
import { processLegend, rate } from "./queries.ts";

/** Query for a bar without data, because a panel without any bar looks broken. */
const emptyBar = 'label_replace(vector(0), "scope", "none", "", "")';

/** Rows of the dashboard for troubleshooting. */
export const partsRows: readonly Row[] = [
  row("Now", [
    figure("Services that answer", "short", 'count(sum by (service) (up{job="modelgate"}) > 0)'),
    figure("Unavailable stores", "short", "count(modelgate_store_up == 0) or vector(0)", {
      description: "Pairs of a service and a store that it cannot reach.",
      thresholds: [{ from: 1, color: "red" }],
    }),
    figure("Channels and keys not in use", "short", "count(max by (scope) (modelgate_channel_state)) or vector(0)", {
      description: "In cooldown after failures, or disabled.",
      thresholds: [{ from: 1, color: "orange" }],
    }),
    figure("Open holds", "short", "max(modelgate_holds_open)"),
    figure("Waiting events", "short", "max(modelgate_outbox_events)", {
      description: "Usage events in Redis that NATS does not have yet.",
      thresholds: [
        { from: 1_000, color: "orange" },
        { from: 10_000, color: "red" },
      ],
    }),
    figure("Event loop, p99, worst", "s", "max(nodejs_eventloop_lag_p99_seconds)", {
      thresholds: [
        { from: 0.1, color: "orange" },
        { from: 0.25, color: "red" },
      ],
    }),
  ]),
  row("Channels", [
    curves(
      "Attempts at vendors",
      "reqps",
      { "{{channel}} {{result}}": rate("modelgate_channel_attempts_total", "channel, result") },
      { colors: { "/ ok$/": "green" } },
    ),
    states(
      "In cooldown or disabled",
      { "{{scope}} {{state}}": `max by (scope, state) (modelgate_channel_state) or on () ${emptyBar}` },
      { "0": { text: "all are in use", color: "green" }, "1": { text: "not in use", color: "orange" } },
      { description: "Channels and keys that currently get no calls." },
    ),
  ]),
  row("Money", [
    curves("Open holds", "short", { holds: "max(modelgate_holds_open)" }, { legend: "below", width: 6 }),
    curves(
      "Events waiting for NATS",
      "short",
      { events: "max(modelgate_outbox_events)" },
      { legend: "below", width: 6, softMax: 10 },
    ),
    curves("Leases held", "short", { "{{service}} {{kind}}": "sum by (service, kind) (modelgate_leases_held)" }),
    curves(
      "Usage counted",
      "cps",
      { "events counted": "sum(rate(modelgate_usage_counted_total[$__rate_interval]))" },
      { legend: "below" },
    ),
    curves(
      "Recovered after a crash",
      "cps",
      {
        "holds swept": "sum(rate(modelgate_holds_swept_total[$__rate_interval]))",
        "events published by the ledger": "sum(rate(modelgate_events_published_total[$__rate_interval]))",
      },
      { description: "Work that crashed services had not finished.", legend: "below", softMax: 1 },
    ),
  ]),
  row("Streams, sessions and tasks", [
    curves("Open requests and streams", "short", {
      "{{service}} requests": "sum by (service) (http_server_active_requests)",
      "{{service}} streams": "sum by (service) (modelgate_open_streams)",
    }),
    curves(
      "Realtime sessions",
      "short",
      { sessions: "sum(modelgate_realtime_sessions)" },
      { legend: "below", width: 6 },
    ),
    curves(
      "Video tasks",
      "short",
      {
        open: "max(modelgate_tasks_open)",
        "polls per second": "sum(rate(modelgate_task_polls_total[$__rate_interval]))",
      },
      { legend: "below", width: 6 },
    ),
  ]),
  row("Processes", [
    curves("CPU, of one core", "percentunit", {
      [processLegend]: "sum by (service, instance) (rate(process_cpu_seconds_total[$__rate_interval]))",
    }),
    curves("Memory", "bytes", { [processLegend]: "max by (service, instance) (process_resident_memory_bytes)" }),
    curves(
      "Event loop, p99",
      "s",
      { [processLegend]: "max by (service, instance) (nodejs_eventloop_lag_p99_seconds)" },
      { thresholds: [{ from: 0.25, color: "red" }] },
    ),
    curves("Bodies and answers held", "bytes", { "{{service}}": "sum by (service) (modelgate_buffer_bytes)" }),
    states(
      "Stores",
      { "{{store}} of {{service}}": "min by (service, store) (modelgate_store_up)" },
      { "0": { text: "unavailable", color: "red" }, "1": { text: "available", color: "green" } },
      { width: 24 },
    ),
  ]),
];
