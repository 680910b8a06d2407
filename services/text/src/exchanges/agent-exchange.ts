import type { Exchange } from "@modelgate/relay";
import type { TextWire } from "@modelgate/wires/text";

/**
 * Returns the exchange of a call that an agent answers. Agents work in the background at their vendor, at the
 * operator's cost. Therefore a request is not repeated, a broken stream is resumed, and an agent for whose answer no
 * client waits is cancelled.
 */
export function agentExchange(exchange: Exchange, { vendor }: Pick<TextWire, "vendor">): Exchange {
  return {
    ...exchange,
    unrepeatable: true,
    read(head) {
      const reader = exchange.read(head);
      return reader.kind === "stream" ? { ...reader, run: vendor?.run?.() } : reader;
    },
  };
}
