import { AckPolicy, connect, type JsMsg } from "nats";
import type { UsageEvent } from "@modelgate/contracts";

/** Usage event in JetStream. */
export interface StoredEvent {
  /** Message id, from which NATS detects repetitions. */
  readonly id: string;
  readonly event: UsageEvent;
  readonly subject: string;
}

/** Reads all usage events in order, including repetitions. */
export async function storedEvents(natsUrl: string): Promise<readonly StoredEvent[]> {
  return readStream(natsUrl, "USAGE", (message) => ({
    id: message.headers?.get("Nats-Msg-Id") ?? "",
    event: message.json<UsageEvent>(),
    subject: message.subject,
  }));
}

const fetchMs = 20_000;

/** Reads all messages of a stream in order. Throws if the stream has no leader. */
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
    // Not an ordered consumer: if its server is lost, the client would create such a consumer again endlessly.
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
