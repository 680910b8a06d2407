/** Filters of every command about usage; each is a parameter of the operator's API. */
export const usageFilters: Readonly<Record<string, string>> = {
  account: "only this account",
  token: "only this token",
  model: "only this model",
  channel: "only this channel",
  outcome: "only calls that ended so: completed, cancelled or failed",
  status: "only calls with this HTTP status",
  "request-id": "only the call with this id: ours, or the vendor's own",
  tag: "only calls with this tag, as in team=search; several with commas between them",
  "end-user": "only calls of this end user",
  day: "one day, as in 2026-01-31; today where absent",
  from: "first day or time, as in 2026-01-31T12:00:00Z",
  to: "last day or time",
};
