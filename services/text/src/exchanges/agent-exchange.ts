import type { Exchange } from "@modelgate/relay";
import type { TextWire } from "@modelgate/wires/text";

/**
 * Returns the exchange of a call that an agent answers. Agents work in the background at their vendor, at the
 * operator's cost. So no second agent is started, a broken stream is resumed, and an agent that nobody waits for is
 * cancelled.
 */
export function agentExchange(made: Exchange, { vendor }: Pick<TextWire, "vendor">): Exchange {
  return {
    ...made,
    unrepeatable: true,
    read(head) {
      const reader = made.read(head);
      return reader.kind === "stream" ? { ...reader, run: vendor?.run?.() } : reader;
    },
  };
}
