import { bodies, Failure, present } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import { readChecked } from "../../kind/index.ts";
import { ownMembers, renderOwn } from "../../kind/own-members.ts";
import type { SpeechAnswer, SpeechClient, SpeechOutput, SpeechTarget, SpeechVendor } from "../hub/answer.ts";
import { speechFormats, type SpeechFormat, type SpeechRequest } from "../hub/request.ts";
import { readEvent, writeAudio, writeDone } from "./stream.ts";
import type { Parsed, Rendered, Wire } from "../../wire.ts";

const shape = Compile(bodies.SpeechRequest);

/** The speech wire (POST /v1/audio/speech). */
export const speech = {
  name: "speech",
  vendor: { render: renderRequest, event: readEvent },
  client: {
    read: (body) => readChecked(body, shape, parseRequest),
    render: renderAnswer,
    audioEvent: writeAudio,
    doneEvent: writeDone,
    relied: Object.keys(bodies.SpeechRequest.properties),
    spelling: {
      model: "model",
      input: "input",
      voice: "voice",
      instructions: "instructions",
      format: "response_format",
      speed: "speed",
      events: "stream_format",
    },
  },
} as const satisfies Wire<SpeechVendor, SpeechClient>;

const formats = Object.keys(speechFormats).filter((name): name is SpeechFormat => name in speechFormats);
const [slowest, fastest] = [0.25, 4] as const;

/** Parses a request (interface endpoint 27). Unknown members go to the vendor. */
function parseRequest(body: JsonRecord): Parsed<SpeechRequest> {
  const fields = new Fields(body);
  const input = fields.needText("input");
  if (input.trim() === "") throw new Failure("invalid_value", "input must not be blank.", { param: "input" });
  const request: SpeechRequest = {
    model: fields.needText("model"),
    input,
    format: fields.word("response_format", formats) ?? "mp3",
    events: fields.word("stream_format", ["audio", "sse"]) === "sse",
    ...present({
      voice: fields.raw("voice"),
      instructions: fields.text("instructions"),
      speed: speedOf(fields),
      own: ownMembers("speech", fields),
    }),
  };
  return { request, dropped: [] };
}

function speedOf(fields: Fields): number | undefined {
  const speed = fields.number("speed");
  if (speed !== undefined && !(speed >= slowest && speed <= fastest))
    throw fields.wrong("speed", `a number from ${slowest} to ${fastest}`);
  return speed;
}

/** Renders a vendor's request; it names events, since every vendor's default is bytes. */
function renderRequest(request: SpeechRequest, { model, events }: SpeechTarget): Rendered {
  const own = renderOwn(request.own, "speech");
  const body = present({
    ...own.members,
    model,
    input: request.input,
    voice: request.voice,
    instructions: request.instructions,
    response_format: request.format,
    speed: request.speed,
    stream_format: events ? "sse" : undefined,
  });
  return { body, dropped: own.dropped };
}

/** Renders samples as they are for `pcm`, otherwise as a WAV file: no other format is made of them. */
function renderAnswer({ samples, rate }: SpeechAnswer, { format }: SpeechRequest): SpeechOutput {
  if (format === "pcm") return { audio: samples, contentType: "audio/pcm" };
  return { audio: asWav(samples, rate), contentType: "audio/wav" };
}

const headBytes = 44;
const bytesPerSample = 2;

/** Writes samples of 16 bits, one channel, as a WAV file. */
function asWav(samples: Buffer, rate: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(headBytes - 8 + samples.length, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16); // bytes of the format
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
