import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { connect, type JetStreamManager } from "nats";
import { eventStreams, type UsageEvent } from "@modelgate/contracts";
import { until, type Suite } from "@modelgate/testkit";
import { bookedEvents } from "./books.ts";
import type { Fault } from "./faults.ts";

/** Names of a stream and of the ledger's consumer. */
const usageConsumer = ["USAGE", "ledger"] as const;

async function withStreams<T>({ backends }: Suite, use: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: backends.natsUrl });
  try {
    return await use(await connection.jetstreamManager());
  } finally {
    await connection.close();
  }
}

/**
 * The process of the ledger is killed between storing and acknowledging an event. NATS then delivers the event again.
 */
export function killBeforeAckFault(fault: Pick<Fault, "name" | "shape"> & Partial<Fault>): Fault {
  let sequence = 0;
  return {
    async begin({ suite, ledgerNatsProxy }) {
      // Requests for messages must pass until the ledger acknowledges an event: without them it gets no event.
      ledgerNatsProxy.losesFrom = "$JS.ACK.USAGE.";
      sequence = await withStreams(suite, ({ consumers, streams }) =>
        until("the books to have an event that is not acknowledged", async () => {
          const { delivered, num_ack_pending: unacknowledged } = await consumers.info(...usageConsumer);
          if (unacknowledged === 0) return false;
          const message = await streams.getMessage("USAGE", { seq: delivered.stream_seq });
          const { accountId, id } = message.json<UsageEvent>();
          const isBooked = (await bookedEvents(suite, accountId)).some((event) => event.id === id);
          return isBooked && delivered.stream_seq;
        }),
      ).finally(async () => {
        // The connection stays cut, so the process is killed before it can acknowledge the event.
        suite.process("ledger").signal("SIGKILL");
        await suite.process("ledger").ended;
        ledgerNatsProxy.losesFrom = undefined;
      });
    },
    async end({ suite }) {
      await suite.restart("ledger");
      // There are always newer unacknowledged events, because clients continue.
      await withStreams(suite, ({ consumers }) =>
        until(
          "the event and all earlier ones to be acknowledged",
          async () => (await consumers.info(...usageConsumer)).ack_floor.stream_seq >= sequence,
        ),
      );
    },
    ...fault,
  };
}

/** Faults in which JetStream loses its events. */
export const streamLossFaults: readonly Fault[] = [
  {
    name: "streams of events deleted",
    shape: "apart",
    losesStreams: true,
    async begin({ suite, natsProxy, ledgerNatsProxy }) {
      // While the ledger is stopped, the stream has unread events, which are lost with the stream.
      suite.process("ledger").signal("SIGSTOP");
      ledgerNatsProxy.switchTo(natsProxy.port);
      await withStreams(suite, async ({ consumers, streams }) => {
        const isUnread = async (): Promise<boolean> => (await consumers.info(...usageConsumer)).num_pending > 0;
        await until("events that are not read", isUnread);
        for (const { name } of Object.values(eventStreams)) await streams.delete(name);
      });
    },
    end: async ({ suite }) => suite.process("ledger").signal("SIGCONT"),
  },
  {
    name: "nats comes back without its store",
    losesStreams: true,
    async begin({ suite }) {
      const { nats } = suite.backends;
      const words = readFileSync(`/proc/${nats.pid()}/cmdline`, "utf8").split("\0");
      const store = words[words.indexOf("-sd") + 1] ?? "";
      await nats.kill();
      rmSync(join(store, "jetstream"), { recursive: true, force: true });
    },
    end: ({ suite }) => suite.backends.nats.start(),
  },
];
