import { textWireNames, upstreamWires } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";
import { wires } from "@modelgate/wires/text";
import { toyWire } from "./index.ts";

/*
 * What one more wire adds outside its folder, done to a process as it starts: its name, its line in the registry, and a
 * vendor that speaks it. Loaded with `node --import`.
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

/** The lists of names are read-only to the type checker alone. */
function append(list: readonly string[], name: string): void {
  Object.assign(list, { [list.length]: name });
}
