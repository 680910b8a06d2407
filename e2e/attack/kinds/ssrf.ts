import { setTimeout as pause } from "node:timers/promises";
import { openaiModel, statusesOf, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { Answer, Sending } from "../../chaos/exchange.ts";
import { honestText, textRequest } from "./wires.ts";

/** Returns notations of an address of this machine. */
function urlForms(port: number): readonly string[] {
  const hosts = [
    "127.0.0.1",
    "localhost",
    "LOCALHOST.",
    "127.1",
    "127.000.000.001",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0.0.0.0",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[::127.0.0.1]",
    "①②⑦.0.0.1",
    "user:word@127.0.0.1",
    "example.com@127.0.0.1",
    "127.0.0.1%2f@example.com",
    "localhost%00.example.com",
  ];
  return [
    ...hosts.map((host) => `http://${host}:${port}/secret.png`),
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://10.0.0.1/a.png",
    "http://metadata.google.internal/a.png",
    "file:///etc/passwd",
    `gopher://127.0.0.1:${port}/_GET`,
    `ftp://127.0.0.1:${port}/a.png`,
    `//127.0.0.1:${port}/a.png`,
    `http:\\\\127.0.0.1:${port}\\a.png`,
  ];
}

/** Creates requests with an URL that the gateway or its vendor would call. */
function requestsWithUrl(context: AttackContext, url: string): readonly Sending[] {
  const chat = (name: string): Sending =>
    textRequest("chat", context.model(name), {
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    });
  const image = { model: context.model("image"), prompt: "at night" };
  return [
    chat("gemini"),
    chat("anthropic"),
    textRequest("messages", context.model("gemini"), {
      messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }],
    }),
    { path: "/v1/images/edits", body: { ...image, image: url } },
    { path: "/v1/images/edits", body: { ...image, images: [{ image_url: url }] } },
    { path: "/v1/videos", body: { model: context.model("film"), prompt: "a boat", input_reference: url } },
    { path: "/v1/video/generations", body: { model: context.model("film"), prompt: "a boat", callback_url: url } },
    {
      path: "/kling/v1/videos/image2video",
      body: { model_name: context.model("film"), prompt: "a boat", image: url, callback_url: url },
    },
  ];
}

/** Attacks by URLs of the operator's network (SSRF). */
export const ssrfAttacks: readonly Attack[] = [
  {
    id: "ssrf",
    name: "sends addresses of the operator's network for images, references and callbacks",
    area: "media",
    models: [
      ...["gemini", "anthropic"].map((name) =>
        openaiModel(name, "chat", { input: 1 }, honestText, { provider: name, path: name }),
      ),
      openaiModel("image", "image", { image: 0.04 }),
      openaiModel("film", "video", { second: 0.001 }),
    ],
    async run(context) {
      const before = context.internalServer.hits.length;
      const answers: Answer[] = [];
      const all = urlForms(context.internalServer.port).flatMap((url) => requestsWithUrl(context, url));
      const queue = [...all];
      const client = async (): Promise<void> => {
        for (let sending = queue.shift(); sending !== undefined; sending = queue.shift())
          answers.push(await context.send(sending));
      };
      await Promise.all(Array.from({ length: 4 }, client));
      // Callbacks are sent after a task has ended.
      await pause(2_000);
      const hits = context.internalServer.hits.slice(before);
      return attackResult(
        `${all.length} requests: ${statusesOf(answers)}`,
        `${hits.length} requests to the internal server`,
        [
          hits.length > 0 && `the gateway called ${[...new Set(hits)].join(", ")}`,
          answers.some(({ status }) => status === 500) && "an address was answered 500",
        ],
      );
    },
  },
];
