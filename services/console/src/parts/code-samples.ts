import { settingsFor, type Gateway } from "./client-settings.ts";
import type { PlaygroundKind } from "./playground-kinds.ts";

/** Returns a playground call as code for each SDK. JSON quotes texts for both Python and JavaScript. */
export function samplesFor(kind: PlaygroundKind, gateway: Gateway, text: string): Readonly<Record<string, string>> {
  const quotedText = JSON.stringify(text === "" ? "Hello" : text);
  if (kind === "chat") return chatSamples(gateway, quotedText);
  if (kind === "realtime") return realtimeSamples(gateway);
  const { python, javascript, path, body } = calls[kind](quotedText);
  const model = JSON.stringify(gateway.model);
  return {
    curl:
      curl(gateway, path, body === undefined ? undefined : `{"model": ${model}, ${body}}`) +
      (kind === "speech" ? " -o speech.mp3" : ""),
    "openai (Python)": `from openai import OpenAI
client = OpenAI(base_url="${gateway.address}/v1", api_key="${gateway.key}")
${python.replaceAll("MODEL", model)}`,
    "openai (JS)": `import fs from "node:fs";
import OpenAI from "openai";
const client = new OpenAI({ baseURL: "${gateway.address}/v1", apiKey: "${gateway.key}" });
${javascript.replaceAll("MODEL", model)}`,
  };
}

function chatSamples(gateway: Gateway, quotedText: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settingsFor(gateway)).map(([client, code]) => [
      client,
      client === "curl"
        ? curl(gateway, "chat/completions", chatBody(gateway, quotedText))
        : code.replaceAll('"Hello"', quotedText),
    ]),
  );
}

const tlsOnly = `// The SDK opens sessions only over TLS (https://). For this address, use the sample "WebSocket".`;

/** Returns samples with text input, because a script has no microphone. */
function realtimeSamples({ address, key, model }: Gateway): Readonly<Record<string, string>> {
  const socket = address.replace(/^http/, "ws");
  const name = JSON.stringify(model);
  const item = `{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }`;
  return {
    "openai (Python)": `import asyncio
from openai import AsyncOpenAI
client = AsyncOpenAI(base_url="${address}/v1", websocket_base_url="${socket}/v1", api_key="${key}")
async def main():
    async with client.realtime.connect(model=${name}) as session:
        content = [{"type": "input_text", "text": "Hello"}]
        await session.conversation.item.create(item={"type": "message", "role": "user", "content": content})
        await session.response.create()
        async for event in session:
            print(event.type)
            if event.type == "response.done":
                break
asyncio.run(main())`,
    "openai (JS)": `// npm install openai ws${address.startsWith("http:") ? `\n${tlsOnly}` : ""}
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
const client = new OpenAI({ baseURL: "${address}/v1", apiKey: "${key}" });
const session = new OpenAIRealtimeWS({ model: ${name} }, client);
session.socket.on("open", () => {
  session.send({ type: "conversation.item.create", item: ${item} });
  session.send({ type: "response.create" });
});
session.on("event", ({ type }) => console.log(type));
session.on("response.done", () => session.close());`,
    WebSocket: `const url = "${socket}/v1/realtime?model=${encodeURIComponent(model)}";
const session = new WebSocket(url, ["realtime", "openai-insecure-api-key.${key}"]);
session.addEventListener("open", () => {
  session.send(JSON.stringify({ type: "conversation.item.create", item: ${item} }));
  session.send(JSON.stringify({ type: "response.create" }));
});
session.addEventListener("message", ({ data }) => {
  const { type } = JSON.parse(data);
  console.log(type);
  if (type === "response.done") session.close();
});`,
  };
}

function chatBody({ model }: Gateway, quotedText: string): string {
  return `{"model": ${JSON.stringify(model)}, "messages": [{"role": "user", "content": ${quotedText}}]}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function curl({ address, key, model }: Gateway, path: string, body: string | undefined): string {
  const sent =
    body === undefined
      ? `-F ${shellQuoted(`model=${model}`)} -F file=@recording.wav`
      : `-H 'Content-Type: application/json' \\\n  -d ${shellQuoted(body)}`;
  return `curl ${address}/v1/${path} \\\n  -H 'Authorization: Bearer ${key}' \\\n  ${sent}`;
}

interface Sample {
  readonly python: string;
  readonly javascript: string;
  readonly path: string;
  /** Fields of the JSON body without the model; absent for a form. */
  readonly body?: string;
}

const calls: Readonly<Record<Exclude<PlaygroundKind, "chat" | "realtime">, (quotedText: string) => Sample>> = {
  image: (quotedText) => ({
    path: "images/generations",
    body: `"prompt": ${quotedText}`,
    python: `image = client.images.generate(model=MODEL, prompt=${quotedText}).data[0]
print(image.url or image.b64_json)`,
    javascript: `const { data } = await client.images.generate({ model: MODEL, prompt: ${quotedText} });
console.log(data[0].url ?? data[0].b64_json);`,
  }),
  speech: (quotedText) => ({
    path: "audio/speech",
    body: `"input": ${quotedText}, "voice": "alloy"`,
    python: `client.audio.speech.create(model=MODEL, input=${quotedText}, voice="alloy").write_to_file("speech.mp3")`,
    javascript: `const speech = await client.audio.speech.create({ model: MODEL, input: ${quotedText}, voice: "alloy" });
fs.writeFileSync("speech.mp3", Buffer.from(await speech.arrayBuffer()));`,
  }),
  transcription: () => ({
    path: "audio/transcriptions",
    python: `print(client.audio.transcriptions.create(model=MODEL, file=open("recording.wav", "rb")).text)`,
    javascript: `const file = fs.createReadStream("recording.wav");
console.log((await client.audio.transcriptions.create({ model: MODEL, file })).text);`,
  }),
  video: (quotedText) => ({
    path: "videos",
    body: `"prompt": ${quotedText}`,
    python: `video = client.videos.create_and_poll(model=MODEL, prompt=${quotedText})
client.videos.download_content(video.id).write_to_file("video.mp4")`,
    javascript: `let video = await client.videos.create({ model: MODEL, prompt: ${quotedText} });
while (video.status === "queued" || video.status === "in_progress") {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  video = await client.videos.retrieve(video.id);
}
fs.writeFileSync("video.mp4", Buffer.from(await (await client.videos.downloadContent(video.id)).arrayBuffer()));`,
  }),
};
