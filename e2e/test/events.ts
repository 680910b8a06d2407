import { connect } from "nats";
import type { UsageEvent } from "@modelgate/contracts";

/** Every usage event that JetStream has stored, in its order, with the ids that the messages carried. */
export async function storedEvents(
  natsUrl: string,
): Promise<readonly { readonly id: string; readonly event: UsageEvent; readonly subject: string }[]> {
  const connection = await connect({ servers: natsUrl.split(",") });
  try {
    const management = await connection.jetstreamManager();
    const { state } = await management.streams.info("USAGE");
    const found = [];
    for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq++) {
      const message = await management.streams.getMessage("USAGE", { seq });
      const event: UsageEvent = message.json();
      found.push({ id: message.header.get("Nats-Msg-Id"), event, subject: message.subject });
    }
    return found;
  } finally {
    await connection.close();
  }
}
