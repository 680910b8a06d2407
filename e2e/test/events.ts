import { connect, DeliverPolicy, type JsMsg } from "nats";
import type { UsageEvent } from "@modelgate/contracts";

/** A usage event as JetStream has stored it. */
export interface StoredEvent {
  /** The id that the message carried. */
  readonly id: string;
  readonly event: UsageEvent;
  readonly subject: string;
}

/** Reads every usage event that JetStream has stored, in its order, as often as it is stored. */
export async function storedEvents(natsUrl: string): Promise<readonly StoredEvent[]> {
  return readStream(natsUrl, "USAGE", (message) => ({
    id: message.headers?.get("Nats-Msg-Id") ?? "",
    event: message.json<UsageEvent>(),
    subject: message.subject,
  }));
}

/** Reads all that a stream has now, in its order. */
export async function readStream<T>(
  natsUrl: string,
  name: "USAGE" | "TASKS",
  read: (message: JsMsg) => T,
): Promise<readonly T[]> {
  const connection = await connect({ servers: natsUrl.split(",") });
  try {
    const { state } = await (await connection.jetstreamManager()).streams.info(name);
    if (state.messages === 0) return [];
    const reader = await connection
      .jetstream()
      .consumers.get(name, { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: state.first_seq });
    const found: T[] = [];
    for await (const message of await reader.consume()) {
      found.push(read(message));
      if (message.seq >= state.last_seq) break;
    }
    return found;
  } finally {
    await connection.close();
  }
}
