import { setImmediate } from "node:timers/promises";
import { audioFormatOf, audioFormats } from "../../audio/formats.ts";
import { synthesize, type Speech } from "../../audio/voice.ts";
import type { Behaviour } from "../../behaviour.ts";
import { memberOf, numberAt, textAt } from "../../checks/members.ts";
import { requireShape, wrongField } from "../../checks/refusal.ts";
import { shapeOf } from "../../checks/notation.ts";
import { questionFrom } from "../../core/question.ts";
import { tokensOf } from "../../core/tokens.ts";
import type { Frame, Streamed } from "../../stream.ts";
import type { Endpoint } from "../../vendor.ts";

const body = shapeOf(String.raw`{
  model: string, input: /^[\s\S]{1,4096}$/u "1 to 4096 characters", voice: /^\w+$/ "a voice" | { id: string },
  instructions?: string, response_format?: "mp3" | "opus" | "aac" | "flac" | "wav" | "pcm", speed?: number(0.25, 4),
  stream_format?: "audio" | "sse"
}`);

/** Matches older models, which answer only with bytes. */
const bytesOnlyModels = /^tts-1/;
/** Model that answers with bytes even if events are requested. */
const eventlessModel = "ignores-events";
const tokensPerSecond = 20;

export const speech: Endpoint = {
  method: "POST",
  path: /^\/v1\/audio\/speech$/,
  open({ body: request }) {
    requireShape(request, body);
    const model = textAt(request, "model") ?? "";
    const events = textAt(request, "stream_format") === "sse" && model !== eventlessModel;
    if (events && bytesOnlyModels.test(model))
      throw wrongField(["stream_format"], `'sse' is not supported by ${model}.`);
    const { words, directive } = questionFrom(model, [textAt(request, "input") ?? ""]);
    const voice = textAt(request, "voice") ?? textAt(memberOf(request, "voice"), "id") ?? "";
    const samples = synthesize(words, { voice, speed: numberAt(request, "speed") ?? 1 });
    const format = audioFormatOf(textAt(request, "response_format") ?? "mp3") ?? audioFormats.mp3;
    const pieces = () => withPauses(format.encode(samples));
    return {
      directive,
      whole: () => ({}),
      ...(events
        ? { streamed: (behaviour: Behaviour) => inEvents(pieces(), usageOf(words, samples, behaviour)) }
        : { bytes: () => ({ contentType: format.contentType, pieces: pieces() }) }),
    };
  },
};

/** Yields the pieces, and lets other calls continue after each of them. */
async function* withPauses(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}

function usageOf(words: string, { seconds }: Speech, { usage }: Behaviour): object | undefined {
  if (usage === null) return undefined;
  const [input, output] = [tokensOf(words), Math.ceil(seconds * tokensPerSecond)];
  return usage ?? { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

function inEvents(pieces: AsyncIterable<Buffer>, usage: object | undefined): Streamed {
  const frame = (event: object, more: Partial<Frame> = {}): Frame => ({ data: JSON.stringify(event), ...more });
  return {
    frames: (async function* () {
      for await (const piece of pieces)
        yield frame({ type: "speech.audio.delta", audio: piece.toString("base64") }, { content: true });
      yield frame({ type: "speech.audio.done", ...(usage === undefined ? {} : { usage }) }, { last: true });
    })(),
    error: (message) => frame({ type: "error", error: { type: "server_error", message } }),
  };
}
