import { AckPolicy, connect, type JsMsg } from "nats";
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

/** Maximum time in which what a stream has is read, in ms. */
const fetchMs = 20_000;

/** Reads all that a stream has now, in its order. Throws where the stream has no leader. */
export async function readStream<T>(
  natsUrl: string,
  name: "USAGE" | "TASKS",
  read: (message: JsMsg) => T,
): Promise<readonly T[]> {
  const connection = await connect({ servers: natsUrl.split(",") });
  try {
    const management = await connection.jetstreamManager();
    const { state } = await management.streams.info(name);
    if (state.messages === 0) return [];
    // Not an ordered consumer: that one is created anew for ever where its server has gone.
    const { name: consumer } = await management.consumers.add(name, { ack_policy: AckPolicy.None, mem_storage: true });
    const reader = await connection.jetstream().consumers.get(name, consumer);
    const found: T[] = [];
    for await (const message of await reader.fetch({ max_messages: state.messages, expires: fetchMs }))
      found.push(read(message));
    await management.consumers.delete(name, consumer);
    return found;
  } finally {
    await connection.close();
  }
}
