import { registerAacEncoder } from "@mediabunny/aac-encoder";
import { AdtsOutputFormat, AudioSample, AudioSampleSource, Output, StreamTarget } from "mediabunny";
import { sampleRate, type Speech } from "./voice.ts";

registerAacEncoder();

const bitrate = 64_000;

/** Yields speech as AAC-LC in ADTS frames. */
export async function* aac(speech: Speech): AsyncGenerator<Buffer> {
  const frames: Buffer[] = [];
  const target = new WritableStream<{ readonly data: Uint8Array }>({
    write: ({ data }) => void frames.push(Buffer.from(data)),
  });
  const source = new AudioSampleSource({ codec: "aac", bitrate });
  const output = new Output({ format: new AdtsOutputFormat(), target: new StreamTarget(target) });
  output.addAudioTrack(source);
  try {
    await output.start();
    let at = 0;
    for (const data of speech.pieces()) {
      using sample = new AudioSample({
        data,
        format: "s16",
        numberOfChannels: 1,
        sampleRate,
        timestamp: at / sampleRate,
      });
      await source.add(sample);
      at += data.length;
      if (frames.length > 0) yield Buffer.concat(frames.splice(0));
    }
    await output.finalize();
    if (frames.length > 0) yield Buffer.concat(frames);
  } finally {
    // A client may disconnect before the end.
    if (output.state !== "finalized") await output.cancel();
  }
}
