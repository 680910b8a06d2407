import { expect, test } from "vitest";
import { channelActions } from "../src/parts/channel-actions.ts";

test.each([
  ["ok", ["disable"]],
  ["probing", ["disable"]],
  ["cooldown", ["end cooldown", "disable"]],
  ["refused", ["end cooldown", "disable"]],
  ["no key", ["disable"]],
  ["disabled", ["enable"]],
] as const)("a channel in the state %s has the buttons %j", (state, actions) => {
  expect(channelActions(state)).toEqual(actions);
});
