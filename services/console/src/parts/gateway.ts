import { memberOf } from "../api/member-of.ts";
import { errorIn, postToGateway, type GatewayModel } from "./gateway-request.ts";

/** Text of a streamed answer so far, and its measurements. */
export interface Streamed {
  readonly text: string;
  readonly firstTokenMs?: number | undefined;
  readonly totalMs?: number | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly requestId?: string | undefined;
}

/** Makes a chat call and returns the complete answer. Throws the gateway's error. */
export async function chatOnce(gateway: GatewayModel, question: string): Promise<string> {
  let last: Streamed = { text: "" };
  for await (const answer of chatStream(gateway, [{ role: "user", content: question }])) last = answer;
  return last.text;
}

export interface Message {
  readonly role: "user" | "assistant" | "system";
  readonly content: string;
}

/** Yields a chat answer as it arrives. Throws the gateway's error. */
export async function* chatStream(
  gateway: GatewayModel,
  messages: readonly Message[],
  signal?: AbortSignal,
): AsyncGenerator<Streamed> {
  const startedAt = performance.now();
  const body = { messages, stream: true, stream_options: { include_usage: true } };
  const answer = await postToGateway(gateway, "chat/completions", body, signal);
  if (answer.body === null) throw new Error(`status ${answer.status}`);
  let streamed: Streamed = { text: "", requestId: answer.headers.get("x-request-id") ?? undefined };
  for await (const chunk of chunksOf(answer.body)) {
    const failure = errorIn(chunk);
    if (failure !== undefined) throw new Error(failure);
    const text = memberOf(memberOf(firstOf(memberOf(chunk, "choices")), "delta"), "content");
    const usage = memberOf(chunk, "usage");
    const [inputTokens, outputTokens] = [memberOf(usage, "prompt_tokens"), memberOf(usage, "completion_tokens")];
    streamed = {
      ...streamed,
      text: streamed.text + (typeof text === "string" ? text : ""),
      firstTokenMs:
        streamed.firstTokenMs ?? (typeof text === "string" && text !== "" ? performance.now() - startedAt : undefined),
      ...(typeof inputTokens === "number" ? { inputTokens } : {}),
      ...(typeof outputTokens === "number" ? { outputTokens } : {}),
    };
    yield streamed;
  }
  yield { ...streamed, totalMs: performance.now() - startedAt };
}

/** Yields the JSON of each server-sent event until [DONE]. */
async function* chunksOf(body: NonNullable<Response["body"]>): AsyncGenerator {
  let rest = "";
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const events = (rest + read.value).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []))
        .join("\n");
      if (data !== "" && data !== "[DONE]") yield JSON.parse(data);
    }
  }
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
