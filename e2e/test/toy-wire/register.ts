import { textWireNames, upstreamWires } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { wires } from "@modelgate/wires/text";
import { toyWire } from "./index.ts";

/* Registers the toy wire and a vendor. Loaded with `node --import`. */
append(textWireNames, toyWire.name);
append(upstreamWires, toyWire.name);
Object.assign(wires, { [toyWire.name]: toyWire });
Object.assign(providers, {
  toy: {
    name: "toy",
    wires: [toyWire.name],
    request: ({ baseUrl, key, body, stream }: { baseUrl: string; key: string; body: Buffer; stream: boolean }) => ({
      url: new URL(baseUrl),
      method: "POST",
      headers: { accept: stream ? toyWire.framing.mediaType : "application/json", "x-toy-key": key },
      body,
    }),
    failureOf: () => ({ code: "upstream_error", retryable: true, blame: "channel" }),
  },
});

/** Appends to a list that only its type makes read-only. */
function append(list: readonly string[], name: string): void {
  Object.assign(list, { [list.length]: name });
}
