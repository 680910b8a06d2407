import { textWireNames, upstreamWires } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { wires } from "@modelgate/wires/text";
import { toyWire } from "./index.ts";

/*
 * Registers an additional wire when a process starts: its name, its entry in the registry, and a vendor. Loaded with
 * `node --import`.
 */
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

/** Appends a name to a list that is read-only for the type checker, but not at run time. */
function append(list: readonly string[], name: string): void {
  Object.assign(list, { [list.length]: name });
}
