import { memberOf } from "../api/member-of.ts";
import { errorIn, postToGateway, requestGateway, type GatewayModel } from "./gateway-request.ts";

/** Result of a call: the URL of a medium, or a text. */
export interface MediaResult {
  readonly url?: string;
  readonly text?: string;
  readonly requestId?: string | undefined;
}

/** Callback for progress in percent. */
export type Progress = (percent: number) => void;

const videoPollMs = 1_000;
/** Maximum wait for a video, in ms. */
const maxVideoMs = 900_000;

/** Generates an image. Throws the gateway's error. */
export async function makeImage(gateway: GatewayModel, prompt: string): Promise<MediaResult> {
  const answer = await postToGateway(gateway, "images/generations", { prompt, n: 1, response_format: "b64_json" });
  const [first]: readonly unknown[] = listIn(await answer.json());
  const [data, url] = [memberOf(first, "b64_json"), memberOf(first, "url")];
  const { requestId } = idOf(answer);
  if (typeof data === "string") return { url: `data:image/png;base64,${data}`, requestId };
  return typeof url === "string" ? { text: url, requestId } : { requestId };
}

/** Generates speech. Throws the gateway's error. */
export async function makeSpeech(gateway: GatewayModel, input: string): Promise<MediaResult> {
  const answer = await postToGateway(gateway, "audio/speech", { input, voice: "alloy" });
  return { url: URL.createObjectURL(await answer.blob()), ...idOf(answer) };
}

/** Transcribes a file. Throws the gateway's error. */
export async function transcribe(gateway: GatewayModel, file: File): Promise<MediaResult> {
  const form = new FormData();
  form.set("model", gateway.model);
  form.set("file", file);
  const answer = await requestGateway(gateway, "audio/transcriptions", { method: "POST", body: form });
  const text = memberOf(await answer.json(), "text");
  return { text: typeof text === "string" ? text : "", ...idOf(answer) };
}

/** Generates a video and waits for it. Throws the gateway's error. */
export async function makeVideo(gateway: GatewayModel, prompt: string, progress: Progress): Promise<MediaResult> {
  const started = await postToGateway(gateway, "videos", { prompt });
  const ids = idOf(started);
  const id = memberOf(await started.json(), "id");
  const path = `videos/${encodeURIComponent(String(id))}`;
  const deadline = Date.now() + maxVideoMs;
  while (Date.now() < deadline) {
    const answer = await requestGateway(gateway, path);
    const task: unknown = await answer.json();
    const [status, percent] = [memberOf(task, "status"), memberOf(task, "progress")];
    progress(typeof percent === "number" ? percent : 0);
    if (status === "failed") throw new Error(errorIn(task) ?? "failed");
    if (status === "completed") {
      const film = await requestGateway(gateway, `${path}/content`);
      return { url: URL.createObjectURL(await film.blob()), ...ids };
    }
    await new Promise((resolve) => setTimeout(resolve, videoPollMs));
  }
  throw new Error("the video did not finish in time");
}

function idOf(answer: Response): { readonly requestId: string | undefined } {
  return { requestId: answer.headers.get("x-request-id") ?? undefined };
}

function listIn(body: unknown): readonly unknown[] {
  const data = memberOf(body, "data");
  return Array.isArray(data) ? data : [];
}
