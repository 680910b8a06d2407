import { expect } from "vitest";
import type { Bus, BusMessage, PublishResult } from "@modelgate/platform";

/** Returns a bus without streams to read. */
export const publishingBus = (publish: (message: BusMessage) => PublishResult): Bus => ({
  connected: true,
  publish: async (messages) => messages.map(publish),
  consume: () => expect.fail("not called here"),
  readProgress: () => expect.fail("not called here"),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
