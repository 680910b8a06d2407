import { expect, test } from "vitest";
import { PollSlots } from "../src/poll/poll-slots.ts";

/** Starts as many polls of a channel as are allowed. */
function fill(slots: PollSlots, channelId: string): Disposable[] {
  const polls: Disposable[] = [];
  for (let poll = slots.countPoll(channelId); poll !== undefined; poll = slots.countPoll(channelId)) polls.push(poll);
  return polls;
}

test("a channel has at most as many polls as are left for all channels", () => {
  const slots = new PollSlots(128);
  const first = fill(slots, "first");
  const second = fill(slots, "second");
  expect([first.length, second.length, fill(slots, "third").length]).toEqual([64, 32, 16]);
  for (const poll of [...first, ...second]) poll[Symbol.dispose]();
  expect(fill(slots, "fourth")).toHaveLength(56);
});

test("one slot serves any channel", () => {
  const slots = new PollSlots(1);
  for (const channelId of ["first", "second"]) {
    using poll = slots.countPoll(channelId);
    expect([poll, slots.countPoll("third")]).toEqual([expect.anything(), undefined]);
  }
});
