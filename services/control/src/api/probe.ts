import {
  textWireNames,
  wiresOfKind,
  type ModelKind,
  type SessionWire,
  type TextWireName,
  type UpstreamWire,
  type VideoWire,
} from "@modelgate/contracts";
import { fileProbe, isFileWire, type FileWire, type Probe } from "./probe-file.ts";

/** Wires that a single request tests. */
type ProbedWire = Exclude<UpstreamWire, VideoWire | SessionWire>;

/** Returns the wire with which a model is tested: the first one for the model's kind, or else the first one. */
export function probedWire(kind: ModelKind | undefined, supported: readonly UpstreamWire[]): UpstreamWire | undefined {
  const modelWires = kind === undefined ? supported : wiresOfKind[kind];
  return supported.find((wire) => modelWires.includes(wire)) ?? supported[0];
}

/** Returns the content of a test request. */
export async function probeOf(wire: ProbedWire, model: string): Promise<Probe> {
  if (isFileWire(wire)) return await fileProbe(wire, model);
  const body = isTextWire(wire) ? await textProbe(wire, model) : probeBodies(model)[wire];
  return { body: Buffer.from(JSON.stringify(body)) };
}

/** Returns the body for a text wire. Imports the wires on demand, which halves the start time of control. */
async function textProbe(wire: TextWireName, model: string): Promise<object> {
  const { wires } = await import("@modelgate/wires/text");
  const turn = { role: "user", parts: [{ kind: "text", text: "Say OK." }] } as const;
  const request = { model, stream: false, instructions: [], turns: [turn], maxTokens: 16 };
  return wires[wire].vendor.render(request, { model, defaultMaxTokens: 16 }).body;
}

function isTextWire(wire: UpstreamWire): wire is TextWireName {
  return textWireNames.some((candidate) => candidate === wire);
}

function probeBodies(model: string): Readonly<Record<Exclude<ProbedWire, TextWireName | FileWire>, object>> {
  const question = { model, query: "OK", documents: ["OK"] };
  const content = { parts: [{ text: "OK" }] };
  const messages = [{ role: "user", content: "OK" }];
  return {
    completions: { model, prompt: "Say OK.", max_tokens: 16 },
    compact: { model, input: "OK" },
    "count-responses": { model, input: "OK" },
    "count-messages": { model, messages },
    "count-content": { contents: [content] },
    embeddings: { model, input: "OK" },
    "content-embeddings": { requests: [{ model: `models/${model}`, content }] },
    "cohere-embeddings": { model, texts: ["OK"], input_type: "search_document", embedding_types: ["float"] },
    "titan-embeddings": { inputText: "OK" },
    "predict-embeddings": { instances: [{ content: "OK" }] },
    moderations: { model, input: "OK" },
    "jina-rerank": question,
    "cohere-rerank": question,
    // Without a voice, so a refusal is expected. Its message shows that the base URL and the key are right.
    "elevenlabs-speech": { text: "OK", model_id: model },
    "deepgram-speech": { text: "OK" },
    "content-speech": {
      contents: [{ role: "user", parts: [{ text: "OK" }] }],
      generationConfig: { responseModalities: ["AUDIO"] },
    },
    "content-transcripts": { contents: [{ role: "user", parts: [{ text: "OK" }] }] },
    speech: { model, input: "OK", voice: "alloy" },
    images: { model, prompt: "A dot" },
    imagen: { instances: [{ prompt: "A dot" }], parameters: { sampleCount: 1 } },
    "vertex-imagen": { instances: [{ prompt: "A dot" }], parameters: { sampleCount: 1 } },
    "qwen-images": { model, input: { messages: [{ role: "user", content: [{ text: "A dot" }] }] } },
    "qwen-image-tasks": { model, input: { prompt: "A dot" } },
    // Without an image, so a refusal is expected here, too.
    "qwen-image-edit-tasks": { model, input: { prompt: "A dot" } },
  };
}
