import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";

/** Functions that run in the browser with the bundled SDK. */
const pageFunctions = { converse, talkUntilClosed, openRefused, chat, refusedChat };
export type PageFunctions = typeof pageFunctions;

Object.assign(globalThis, { pageFunctions });

/** Configuration of the SDK. */
export interface SdkOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model: string;
}

async function converse({ baseURL, apiKey, model }: SdkOptions) {
  const client = new OpenAI({ baseURL, apiKey, dangerouslyAllowBrowser: true });
  const live = new OpenAIRealtimeWebSocket({ model, dangerouslyAllowBrowser: true }, client);
  const next = (type: "session.created" | "session.updated" | "response.done") =>
    new Promise<any>((resolve) => void live.once(type, resolve));
  const created = await next("session.created");
  let transcript = "";
  let audioBytes = 0;
  live.on("response.output_audio_transcript.delta", ({ delta }) => void (transcript += delta));
  live.on("response.output_audio.delta", ({ delta }) => void (audioBytes += atob(delta).length));
  live.send({ type: "session.update", session: { type: "realtime", instructions: "Be kind." } });
  await next("session.updated");
  const content = [{ type: "input_text" as const, text: "Hello" }];
  live.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
  live.send({ type: "response.create" });
  const { response } = await next("response.done");
  const { protocol } = live.socket;
  const close = await new Promise<object>((resolve) => {
    live.socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
    live.close({ code: 1000, reason: "done" });
  });
  return { model: created.session.model, protocol, transcript, audioBytes, usage: response.usage, close };
}

function talkUntilClosed({ baseURL, apiKey, model }: SdkOptions) {
  const client = new OpenAI({ baseURL, apiKey, dangerouslyAllowBrowser: true });
  const live = new OpenAIRealtimeWebSocket({ model, dangerouslyAllowBrowser: true }, client);
  const ask = (): void => live.send({ type: "response.create" });
  let failure: string | null | undefined;
  live.on("error", ({ error }) => void (failure = error?.code ?? failure));
  live.on("session.created", () => {
    live.send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
    ask();
  });
  live.on("response.done", ask);
  return new Promise<object>((resolve) =>
    live.socket.addEventListener("close", ({ code, reason, wasClean }) =>
      resolve({ error: failure, code, reason, wasClean }),
    ),
  );
}

/** Opens a session that is refused. A browser hides the reason from the page. */
function openRefused({ baseURL, apiKey, model }: SdkOptions) {
  const client = new OpenAI({ baseURL, apiKey, dangerouslyAllowBrowser: true });
  const live = new OpenAIRealtimeWebSocket({ model, dangerouslyAllowBrowser: true }, client);
  let opened = false;
  live.on("error", () => undefined);
  live.socket.addEventListener("open", () => (opened = true));
  return new Promise<object>((resolve) =>
    live.socket.addEventListener("close", ({ code }) => resolve({ opened, code })),
  );
}

async function chat({ baseURL, apiKey, model }: SdkOptions) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0, dangerouslyAllowBrowser: true });
  const { data, request_id: requestId } = await client.chat.completions
    .create({ model, stream: true, messages: [{ role: "user", content: "Hello" }] })
    .withResponse();
  let text = "";
  let pieces = 0;
  for await (const chunk of data) {
    text += chunk.choices[0]?.delta.content ?? "";
    pieces++;
  }
  return { text, pieces, requestId };
}

async function refusedChat({ baseURL, apiKey, model }: SdkOptions) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0, dangerouslyAllowBrowser: true });
  try {
    await client.chat.completions.create({ model, messages: [{ role: "user", content: "Hello" }] });
    return { status: 200 };
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    const { status, code, requestID: requestId, message } = error;
    return { status: status ?? 0, code, requestId, message };
  }
}
