import { expect, test } from "vitest";
import { readProgress } from "../src/bus-progress.ts";

test("a message that arrives while the position is read is not taken for a handled one", async () => {
  let last = 5;
  const stream = { created: "", state: { first_seq: 1, messages: 5 } };
  const manager = {
    streams: {
      info: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { ...stream, state: { ...stream.state, last_seq: last } };
      },
    },
    consumers: {
      info: async () => {
        const handled = last++;
        return { num_pending: 0, num_ack_pending: 0, ack_floor: { stream_seq: handled } };
      },
    },
  };
  const connection = { jetstreamManager: async () => manager };
  expect(await readProgress(connection as never, "USAGE", "ledger")).toMatchObject({ last: 5, handled: 5 });
});
