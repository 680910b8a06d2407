import type { Exchange } from "@modelgate/relay";
import type { TextWire } from "@modelgate/wires/text";

/**
 * Returns the exchange of a call that an agent answers. An agent continues when the connection to it is lost. Its
 * request is therefore not sent a second time, and a broken stream is resumed.
 */
export function agentExchange(exchange: Exchange, { vendor }: Pick<TextWire, "vendor">): Exchange {
  return {
    ...exchange,
    isUnrepeatable: true,
    read(head) {
      const reader = exchange.read(head);
      return reader.kind === "stream" ? { ...reader, run: vendor?.run?.() } : reader;
    },
  };
}
