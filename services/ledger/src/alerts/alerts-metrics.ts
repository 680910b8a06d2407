import { Counter } from "@modelgate/platform";

/** Counts the alerts that this ledger stored. */
export const alertsRecorded = new Counter({
  name: "modelgate_alerts_total",
  help: "Alerts, each counted once.",
  labelNames: ["kind"],
});

/** Attempts to deliver alerts: `delivered`, `failed` (to be repeated) or `dead` (given up). */
export const alertAttempts = new Counter({
  name: "modelgate_alert_attempts_total",
  help: "Attempts to deliver alerts to targets.",
  labelNames: ["target", "result"],
});
