import { withoutUndefined } from "@modelgate/contracts";
import { ownEntry, asRecords, type Fields, type JsonRecord } from "@modelgate/formats/json";
import type { Citation, Part, TextPart, TokenProbability, ToolResultPart } from "./part.ts";
import { parseCaching } from "./prompt-cache.ts";
import type { OutputFormat, TextRequest, TextWireName, Tool, Turn } from "./request.ts";
import { audioTypes } from "./sources.ts";
import type { Envelope } from "./signatures.ts";

/** Maximum number of parts of one message or tool output. */
export const maxParts = 4_096;

export type ReadPart = (part: Fields) => Part;

/** Parses a message's content or a tool's output. Throws Failure (400) for types without a reader. */
export function parseContentParts(
  fields: Fields,
  name: string,
  readers: Readonly<Record<string, ReadPart>>,
): readonly Part[] {
  const content = fields.raw(name);
  if (content === undefined) return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  return fields.each(name, maxParts).map((part) => {
    const type = part.needText("type");
    const read = ownEntry(readers, type);
    if (read === undefined) throw part.wrong("type", `one of ${Object.keys(readers).join(", ")}`);
    return read(part);
  });
}

/** Returns the parts. Throws Failure (400) unless all are text. */
export function requireTexts(fields: Fields, name: string, parts: readonly Part[]): readonly TextPart[] {
  return parts.map((part) => {
    if (part.kind === "text") return part;
    throw fields.wrong(name, "text only in a system or developer message");
  });
}

/** Returns the parts. Throws Failure (400) for a part that a tool's result cannot have. */
export function resultParts(fields: Fields, name: string, parts: readonly Part[]): ToolResultPart["parts"] {
  return parts.map((part) => {
    if (part.kind === "text" || part.kind === "image" || part.kind === "file") return part;
    throw fields.wrong(name, "text, images and files");
  });
}

/** Reads `input_audio`, which the chat and responses wires share. */
export function readAudio(part: Fields): Part {
  const audio = part.needFields("input_audio");
  const format = audio.oneOf("format", ["mp3", "wav"]) ?? "wav";
  return { kind: "audio", source: { kind: "base64", mediaType: audioTypes[format], data: audio.needText("data") } };
}

/** Reads a citation, and stores its complete value in `own`, for vendors and clients of `wire`. */
export function parseCitation(wire: TextWireName, value: unknown, { url, title, start, end }: JsonRecord): Citation {
  return withoutUndefined({
    url: typeof url === "string" ? url : undefined,
    title: typeof title === "string" ? title : undefined,
    start: typeof start === "number" ? start : undefined,
    end: typeof end === "number" ? end : undefined,
    own: { wire, value },
  });
}

/** Attaches the citations to the last text, and the log probabilities to the first. */
export function attachCitations(
  parts: readonly Part[],
  citations: readonly Citation[],
  logProbabilities: readonly TokenProbability[],
): readonly Part[] {
  const first = parts.findIndex(({ kind }) => kind === "text");
  const last = parts.findLastIndex(({ kind }) => kind === "text");
  return parts.map((part, index) => {
    if (part.kind !== "text") return part;
    return {
      ...part,
      ...(index === last && citations.length > 0 ? { citations } : {}),
      ...(index === first && logProbabilities.length > 0 ? { logProbabilities } : {}),
    };
  });
}

/** Parses log probabilities, which the chat and responses wires share. */
export function parseLogProbabilities(value: unknown): readonly TokenProbability[] {
  return asRecords(value).flatMap((each) => {
    const probability = parseProbability(each);
    const alternatives = asRecords(each["top_logprobs"]).flatMap((alternative) => parseProbability(alternative) ?? []);
    return probability === undefined ? [] : [{ ...probability, alternatives }];
  });
}

function parseProbability({ token, logprob, bytes }: JsonRecord): Omit<TokenProbability, "alternatives"> | undefined {
  if (typeof token !== "string" || typeof logprob !== "number") return undefined;
  return {
    token,
    logProbability: logprob,
    ...(Array.isArray(bytes) ? { bytes: bytes.filter((byte) => typeof byte === "number") } : {}),
  };
}

/** Renders a log probability for a client. */
export function logProbability({ alternatives, ...chosen }: TokenProbability): JsonRecord {
  return { ...renderToken(chosen), top_logprobs: alternatives.map(renderToken) };
}

function renderToken({ token, logProbability, bytes }: Omit<TokenProbability, "alternatives">): JsonRecord {
  return { token, logprob: logProbability, bytes: bytes ?? [...Buffer.from(token)] };
}

export function parseFunction(declared: Fields): Extract<Tool, { kind: "function" }> {
  return withoutUndefined({
    kind: "function",
    name: declared.needText("name"),
    description: declared.text("description"),
    parameters: declared.record("parameters"),
    // False is the default of all other wires.
    strict: declared.flag("strict") === true ? true : undefined,
  });
}

export function parseCustom(declared: Fields, format: unknown): Extract<Tool, { kind: "custom" }> {
  const [name, description] = [declared.needText("name"), declared.text("description")];
  return withoutUndefined({ kind: "custom", name, description, format });
}

export function parseSchema(schemaFields: Fields, schema: JsonRecord): OutputFormat {
  const [name, description] = [schemaFields.text("name"), schemaFields.text("description")];
  return withoutUndefined({ kind: "schema", schema, name, description, strict: schemaFields.flag("strict") });
}

/** Reads the request for log probabilities. `top_logprobs` needs `logprobs: true`. */
export function parseProbabilityRequest(fields: Fields): TextRequest["logProbabilities"] {
  const alternatives = fields.count("top_logprobs") ?? 0;
  return fields.flag("logprobs") === true ? { alternatives } : undefined;
}

/** Reads the fields that the chat and responses wires share. */
export function parsePlainFields(fields: Fields): Partial<TextRequest> {
  return {
    ...parseSampling(fields),
    cacheKey: fields.text("prompt_cache_key"),
    ...parseCaching(fields),
    metadata: fields.record("metadata"),
    user: fields.text("user"),
    safetyIdentifier: fields.text("safety_identifier"),
    serviceTier: fields.text("service_tier"),
  };
}

export function parseSampling(fields: Fields): Partial<TextRequest> {
  return {
    temperature: fields.number("temperature"),
    topP: fields.number("top_p"),
    presencePenalty: fields.number("presence_penalty"),
    frequencyPenalty: fields.number("frequency_penalty"),
  };
}

interface OpenTurn {
  readonly role: Turn["role"];
  readonly parts: Part[];
  /** True if the turn is merged with an adjacent turn of the same role that also has `joins`. */
  readonly joins: boolean;
}

/** Collects the turns of a conversation. */
export class TurnCollector {
  readonly #turns: OpenTurn[] = [];
  readonly #names = new Map<string, string>();

  get turns(): readonly Turn[] {
    return this.#turns.map(({ role, parts }) => ({ role, parts }));
  }

  get isEmpty(): boolean {
    return this.#turns.length === 0;
  }

  add(role: Turn["role"], parts: readonly Part[], joins = false): void {
    for (const part of parts) if (part.kind === "tool-call") this.#names.set(part.id, part.name);
    const last = this.#turns.at(-1);
    if (joins && last?.joins === true && last.role === role) last.parts.push(...parts);
    else this.#turns.push({ role, parts: [...parts], joins });
  }

  /** Adds a tool's result. Adjacent results become one turn. */
  answer(result: ToolResultPart): void {
    this.add("user", [withoutUndefined({ ...result, name: result.name ?? this.#names.get(result.callId) })], true);
  }

  attach(envelope: Envelope): void {
    attachSignature(this.#turns.at(-1)?.parts ?? [], envelope);
  }
}

/**
 * Attaches a signature to the tool call that its envelope names, or to the last part if the envelope names no call. The
 * signature of an unknown call is ignored.
 */
export function attachSignature(parts: Part[], { signature, call }: Envelope): void {
  const index =
    call === undefined ? parts.length - 1 : parts.findIndex((part) => part.kind === "tool-call" && part.id === call);
  const part = parts[index];
  if (part?.kind === "tool-call" || part?.kind === "text" || part?.kind === "image")
    parts[index] = { ...part, signature };
}
