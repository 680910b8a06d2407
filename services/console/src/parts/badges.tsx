import { Badge, Tooltip } from "@mantine/core";
import type { Call, PartState } from "../api/types.ts";
import { localTime } from "../format/times.ts";
import { translate, translateTerm } from "../texts/translate.ts";

const outcomeColors = { completed: "teal", cancelled: "gray", failed: "red" } as const;

/** Badge of a call's outcome. */
export function OutcomeBadge({ outcome, status }: Pick<Call, "outcome" | "status">) {
  return (
    <Badge variant="dot" color={outcomeColors[outcome]}>
      {translateTerm(outcome)} {status}
    </Badge>
  );
}

/** Badge of a channel's or key's state, with the reason as tooltip. */
export function StateBadge({ state, reason, vendorMessage, until }: PartState) {
  const color = state === "ok" ? "teal" : state === "probing" || state === "cooldown" ? "yellow" : "red";
  const hint = [
    reason,
    vendorMessage,
    until === undefined ? undefined : translate("until {time}", { time: localTime(until) }),
  ].filter((part) => part !== undefined);
  const badge = (
    <Badge variant="dot" color={color} tabIndex={hint.length === 0 ? undefined : 0}>
      {translateTerm(state)}
    </Badge>
  );
  return hint.length === 0 ? badge : <Tooltip label={hint.join(", ")}>{badge}</Tooltip>;
}
