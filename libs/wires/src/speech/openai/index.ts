import { bodies, Failure, withoutUndefined, type Units } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { schemaReader, parseEvent, renderEvent, additionalMembers, renderAdditionalMembers } from "../../kind/index.ts";
import type { Frame } from "@modelgate/formats/sse";
import { parseCount } from "../../text/hub/counts.ts";
import {
  type SpeechAnswer,
  type SpeechEvent,
  type SpeechOutput,
  type SpeechClient,
  type SpeechTarget,
  type SpeechVendor,
  speechFormats,
  type SpeechFormat,
  type SpeechRequest,
} from "../hub/index.ts";
import type { Parsed, Rendered, Wire } from "../../wire.ts";

export const speech = {
  name: "speech",
  vendor: { render: renderRequest, stream: () => ({ read: readEvent }) },
  client: {
    ...schemaReader(bodies.SpeechRequest, parseRequest),
    render: renderAnswer,
    stream: () => ({ write: writeEvent }),
    spelling: { format: "response_format", events: "stream_format" },
  },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

const formats = Object.keys(speechFormats).filter((name): name is SpeechFormat => name in speechFormats);
const [slowest, fastest] = [0.25, 4] as const;

function parseRequest(body: JsonRecord): Parsed<SpeechRequest> {
  const fields = new Fields(body);
  const input = fields.needText("input");
  if (input.trim() === "") throw new Failure("invalid_value", "input must not be blank.", { param: "input" });
  const format = fields.oneOf("response_format", formats);
  const request: SpeechRequest = {
    model: fields.needText("model"),
    input,
    format: format ?? "mp3",
    isDefaultFormat: format === undefined,
    events: fields.oneOf("stream_format", ["audio", "sse"]) === "sse",
    ...withoutUndefined({
      voice: fields.raw("voice"),
      instructions: fields.text("instructions"),
      speed: parseSpeed(fields),
      additional: additionalMembers("speech", fields),
    }),
  };
  return { request, dropped: [] };
}

function parseSpeed(fields: Fields): number | undefined {
  const speed = fields.number("speed");
  if (speed !== undefined && !(speed >= slowest && speed <= fastest))
    throw fields.wrong("speed", `a number from ${slowest} to ${fastest}`);
  return speed;
}

/** Renders a request. `stream_format` is sent only for events, because plain audio is the default of every vendor. */
function renderRequest(request: SpeechRequest, { model, events }: SpeechTarget): Rendered {
  const additional = renderAdditionalMembers(request.additional, "speech");
  const body = withoutUndefined({
    ...additional.members,
    model,
    input: request.input,
    voice: request.voice,
    instructions: request.instructions,
    response_format: request.format,
    speed: request.speed,
    stream_format: events ? "sse" : undefined,
  });
  return { body, dropped: additional.dropped };
}

function renderAnswer({ samples, rate }: SpeechAnswer, { format }: SpeechRequest): SpeechOutput {
  if (format === "pcm") return { audio: samples, contentType: "audio/pcm" };
  return { audio: encodeWav(samples, rate), contentType: "audio/wav" };
}

const wavHeaderBytes = 44;
const bytesPerSample = 2;

function encodeWav(samples: Buffer, rate: number): Buffer {
  const head = Buffer.alloc(wavHeaderBytes);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(wavHeaderBytes - 8 + samples.length, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * bytesPerSample, 28);
  head.writeUInt16LE(bytesPerSample, 32);
  head.writeUInt16LE(bytesPerSample * 8, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

function readEvent({ data }: Frame): SpeechEvent {
  if (data === "[DONE]") return { kind: "other" };
  const { type, error, audio, usage } = parseEvent(data);
  if (isRecord(error)) return { kind: "error" };
  if (type === "speech.audio.done") return { kind: "done", usage: readUsage(usage) };
  if (type !== "speech.audio.delta") return { kind: "other" };
  if (typeof audio !== "string") throw new Failure("upstream_error", "The vendor's stream has an event without audio.");
  return { kind: "audio", bytes: Buffer.from(audio, "base64") };
}

function readUsage(usage: unknown): Units | undefined {
  if (!isRecord(usage)) return undefined;
  return {
    inputTokens: parseCount(usage["input_tokens"]) ?? 0,
    outputAudioTokens: parseCount(usage["output_tokens"]) ?? 0,
  };
}

function writeEvent(event: SpeechEvent): string {
  if (event.kind === "audio") return renderEvent({ type: "speech.audio.delta", audio: event.bytes.toString("base64") });
  return event.kind === "done" ? renderDone(event.usage ?? {}) : "";
}

function renderDone({ inputTokens = 0, outputTokens = 0, outputAudioTokens = 0 }: Units): string {
  const output = outputTokens + outputAudioTokens;
  return renderEvent({
    type: "speech.audio.done",
    usage: { input_tokens: inputTokens, output_tokens: output, total_tokens: inputTokens + output },
  });
}
