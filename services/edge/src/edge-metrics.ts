import { SeriesCounter } from "@modelgate/platform";

/** Decisions of the limiter: `admitted`, or the reason for the refusal. */
export const limiterDecisions = new SeriesCounter({
  name: "modelgate_limiter_decisions_total",
  help: "Decisions of the limiter.",
  labelNames: ["decision"],
});
