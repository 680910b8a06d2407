import type { Gateway } from "./new-key.tsx";
import { settingsFor } from "./client-settings.ts";

/** Kinds of calls that there is code for. */
export type CodeKind = "chat" | "image" | "speech" | "transcription" | "video";

/** A call of the playground as code, by SDK; a text in it is quoted as JSON, which Python and JavaScript read alike. */
export function samplesFor(kind: CodeKind, gateway: Gateway, text: string): Readonly<Record<string, string>> {
  const said = JSON.stringify(text === "" ? "Hello" : text);
  if (kind === "chat") return chatSamples(gateway, said);
  const { python, javascript, path, body } = calls[kind](said);
  const model = JSON.stringify(gateway.model);
  return {
    curl: curl(gateway, path, body === undefined ? undefined : `{"model": ${model}, ${body}}`),
    "openai (Python)": `from openai import OpenAI
client = OpenAI(base_url="${gateway.address}/v1", api_key="${gateway.key}")
${python.replaceAll("MODEL", model)}`,
    "openai (JS)": `import fs from "node:fs";
import OpenAI from "openai";
const client = new OpenAI({ baseURL: "${gateway.address}/v1", apiKey: "${gateway.key}" });
${javascript.replaceAll("MODEL", model)}`,
  };
}

function chatSamples(gateway: Gateway, said: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(settingsFor(gateway)).map(([client, code]) => [
      client,
      client === "curl" ? curl(gateway, "chat/completions", chatBody(gateway, said)) : code.replaceAll('"Hello"', said),
    ]),
  );
}

function chatBody({ model }: Gateway, said: string): string {
  return `{"model": ${JSON.stringify(model)}, "messages": [{"role": "user", "content": ${said}}]}`;
}

/** A single quote ends what a shell takes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function curl({ address, key, model }: Gateway, path: string, body: string | undefined): string {
  const sent =
    body === undefined
      ? `-F ${quoted(`model=${model}`)} -F file=@recording.wav`
      : `-H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`;
  return `curl ${address}/v1/${path} \\\n  -H 'Authorization: Bearer ${key}' \\\n  ${sent}`;
}

interface Sample {
  readonly python: string;
  readonly javascript: string;
  readonly path: string;
  /** Members of the JSON body beside the model; absent: a form. */
  readonly body?: string;
}

const calls: Readonly<Record<Exclude<CodeKind, "chat">, (said: string) => Sample>> = {
  image: (said) => ({
    path: "images/generations",
    body: `"prompt": ${said}`,
    python: `image = client.images.generate(model=MODEL, prompt=${said}).data[0]
print(image.url or image.b64_json)`,
    javascript: `const { data } = await client.images.generate({ model: MODEL, prompt: ${said} });
console.log(data[0].url ?? data[0].b64_json);`,
  }),
  speech: (said) => ({
    path: "audio/speech",
    body: `"input": ${said}, "voice": "alloy"`,
    python: `client.audio.speech.create(model=MODEL, input=${said}, voice="alloy").write_to_file("speech.mp3")`,
    javascript: `const speech = await client.audio.speech.create({ model: MODEL, input: ${said}, voice: "alloy" });
fs.writeFileSync("speech.mp3", Buffer.from(await speech.arrayBuffer()));`,
  }),
  transcription: () => ({
    path: "audio/transcriptions",
    python: `print(client.audio.transcriptions.create(model=MODEL, file=open("recording.wav", "rb")).text)`,
    javascript: `const file = fs.createReadStream("recording.wav");
console.log((await client.audio.transcriptions.create({ model: MODEL, file })).text);`,
  }),
  video: (said) => ({
    path: "videos",
    body: `"prompt": ${said}`,
    python: `video = client.videos.create_and_poll(model=MODEL, prompt=${said})
client.videos.download_content(video.id).write_to_file("video.mp4")`,
    javascript: `let video = await client.videos.create({ model: MODEL, prompt: ${said} });
while (video.status === "queued" || video.status === "in_progress") {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  video = await client.videos.retrieve(video.id);
}
fs.writeFileSync("video.mp4", Buffer.from(await (await client.videos.downloadContent(video.id)).arrayBuffer()));`,
  }),
};
