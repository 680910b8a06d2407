import { memberOf } from "../api/member-of.ts";
import type { Gateway } from "./new-key.tsx";

/** Result of a call: the URL of an image, audio or video, or a text. */
export interface MediaResult {
  readonly url?: string;
  readonly text?: string;
  readonly requestId?: string | undefined;
}

/** Callback for the progress of a long call, in percent. */
export type Progress = (percent: number) => void;

const videoPollMs = 1_000;
/** Maximum wait for a video, in ms. */
const maxVideoMs = 900_000;

/** Generates an image. Throws an error with the gateway's message. */
export async function makeImage(gateway: Gateway, prompt: string): Promise<MediaResult> {
  const answer = await send(gateway, "images/generations", { prompt, n: 1, response_format: "b64_json" });
  const [first]: readonly unknown[] = listIn(await answer.json());
  const [data, url] = [memberOf(first, "b64_json"), memberOf(first, "url")];
  const { requestId } = idOf(answer);
  if (typeof data === "string") return { url: `data:image/png;base64,${data}`, requestId };
  return typeof url === "string" ? { text: url, requestId } : { requestId };
}

/** Generates speech from a text. Throws an error with the gateway's message. */
export async function makeSpeech(gateway: Gateway, input: string): Promise<MediaResult> {
  const answer = await send(gateway, "audio/speech", { input, voice: "alloy" });
  return { url: URL.createObjectURL(await answer.blob()), ...idOf(answer) };
}

/** Transcribes a file. Throws an error with the gateway's message. */
export async function transcribe(gateway: Gateway, file: File): Promise<MediaResult> {
  const form = new FormData();
  form.set("model", gateway.model);
  form.set("file", file);
  const answer = await requireOk(
    await fetch(`${gateway.address}/v1/audio/transcriptions`, {
      method: "POST",
      headers: keyOf(gateway),
      body: form,
    }),
  );
  const text = memberOf(await answer.json(), "text");
  return { text: typeof text === "string" ? text : "", ...idOf(answer) };
}

/** Generates a video and waits until it is complete. Throws an error with the gateway's message. */
export async function makeVideo(gateway: Gateway, prompt: string, progress: Progress): Promise<MediaResult> {
  const started = await send(gateway, "videos", { prompt });
  const ids = idOf(started);
  const id = memberOf(await started.json(), "id");
  const path = `${gateway.address}/v1/videos/${encodeURIComponent(String(id))}`;
  const deadline = Date.now() + maxVideoMs;
  while (Date.now() < deadline) {
    const answer = await requireOk(await fetch(path, { headers: keyOf(gateway) }));
    const task: unknown = await answer.json();
    const [status, percent] = [memberOf(task, "status"), memberOf(task, "progress")];
    progress(typeof percent === "number" ? percent : 0);
    if (status === "failed") throw new Error(errorIn(task) ?? "failed");
    if (status === "completed") {
      const film = await requireOk(await fetch(`${path}/content`, { headers: keyOf(gateway) }));
      return { url: URL.createObjectURL(await film.blob()), ...ids };
    }
    await new Promise((resolve) => setTimeout(resolve, videoPollMs));
  }
  throw new Error("the video did not finish in time");
}

async function send(gateway: Gateway, path: string, body: object): Promise<Response> {
  return requireOk(
    await fetch(`${gateway.address}/v1/${path}`, {
      method: "POST",
      headers: { ...keyOf(gateway), "content-type": "application/json" },
      body: JSON.stringify({ model: gateway.model, ...body }),
    }),
  );
}

async function requireOk(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  throw new Error(errorIn(await answer.json().catch(() => undefined)) ?? `status ${answer.status}`);
}

function keyOf({ key }: Gateway): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

function idOf(answer: Response): { readonly requestId: string | undefined } {
  return { requestId: answer.headers.get("x-request-id") ?? undefined };
}

function listIn(body: unknown): readonly unknown[] {
  const data = memberOf(body, "data");
  return Array.isArray(data) ? data : [];
}

/** Returns the message of an error body; undefined for any other body. */
export function errorIn(body: unknown): string | undefined {
  const message = memberOf(memberOf(body, "error"), "message");
  return typeof message === "string" ? message : undefined;
}
