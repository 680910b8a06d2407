import type { UpstreamWire } from "@modelgate/contracts";
import type { AnswerCall } from "@modelgate/providers";

/** Content of a test request. */
export type Probe = Pick<AnswerCall, "body" | "headers" | "query">;

/** A second of silence: a WAV header, and samples of 16 bits. */
const silence = Buffer.concat([
  Buffer.from("UklGRqQ+AABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YYA+AAA=", "base64"),
  Buffer.alloc(16_000),
]);
/** A white image of 64 × 64 pixels. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PMQ0AAAwDoPo33UrYvQQckD4XAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB" +
    "AQEBAQEBAQEBAQEBAQEBAYHLAMpT0sIcNbcEAAAAAElFTkSuQmCC",
  "base64",
);

const fileWires = [
  "transcriptions",
  "translations",
  "elevenlabs-transcripts",
  "deepgram-transcripts",
  "image-edits",
] as const;
/** Wires whose requests have a file. */
export type FileWire = (typeof fileWires)[number];

export function isFileWire(wire: UpstreamWire): wire is FileWire {
  return fileWires.some((candidate) => candidate === wire);
}

/** Returns a test request with a file. */
export async function fileProbe(wire: FileWire, model: string): Promise<Probe> {
  if (wire === "deepgram-transcripts")
    return { body: silence, headers: { "content-type": "audio/wav" }, query: { model } };
  const form = new FormData();
  form.set(wire === "elevenlabs-transcripts" ? "model_id" : "model", model);
  if (wire === "image-edits") {
    form.set("prompt", "A dot");
    form.set("image", new File([picture], "image.png", { type: "image/png" }));
  } else form.set("file", new File([silence], "silence.wav", { type: "audio/wav" }));
  const encoded = new Response(form);
  const contentType = encoded.headers.get("content-type") ?? "";
  return { body: Buffer.from(await encoded.arrayBuffer()), headers: { "content-type": contentType } };
}
