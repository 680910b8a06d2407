import type { UpstreamWire } from "@modelgate/contracts";
import { textCodecs, type TextWire } from "@modelgate/wires";

/** The smallest real call of a wire, as a body: for trying a channel out. */
export function probe(wire: UpstreamWire, model: string): Buffer {
  return Buffer.from(JSON.stringify(isTextWire(wire) ? textProbe(wire, model) : probes(model)[wire]));
}

function textProbe(wire: TextWire, model: string): object {
  const turn = { role: "user", parts: [{ kind: "text", text: "Say OK." }] } as const;
  const request = { model, stream: false, instructions: [], turns: [turn], maxTokens: 16 };
  return textCodecs[wire].renderRequest(request, { model, defaultMaxTokens: 16 }).body;
}

function isTextWire(wire: UpstreamWire): wire is TextWire {
  return Object.hasOwn(textCodecs, wire);
}

function probes(model: string): Readonly<Record<Exclude<UpstreamWire, TextWire>, object>> {
  const question = { model, query: "OK", documents: ["OK"] };
  const content = { parts: [{ text: "OK" }] };
  const messages = [{ role: "user", content: "OK" }];
  return {
    completions: { model, prompt: "Say OK.", max_tokens: 16 },
    compact: { model, input: "OK" },
    "count-messages": { model, messages },
    "count-content": { contents: [content] },
    embeddings: { model, input: "OK" },
    "content-embeddings": { requests: [{ model: `models/${model}`, content }] },
    moderations: { model, input: "OK" },
    "jina-rerank": question,
    "cohere-rerank": question,
    // Sessions are opened, not asked: there is no body.
    realtime: {},
    "gemini-live": {},
  };
}
