import type { PartState } from "../api/types.ts";

/** Action on a channel or key. Ending a cooldown is an `enable` for control. */
export type ChannelAction = "enable" | "disable" | "end cooldown";

/** Returns the actions for a channel or key in a state. */
export function channelActions(state: PartState["state"]): readonly ChannelAction[] {
  if (state === "disabled") return ["enable"];
  return state === "cooldown" || state === "refused" ? ["end cooldown", "disable"] : ["disable"];
}
