import { createServer } from "node:http";

/** Events of a stream, and the length of what an answer says. */
const [events, words] = [100, 620];
const said = "The quick brown fox jumps over the lazy dog. ".repeat(20).slice(0, words);
const usage = { prompt_tokens: 21, completion_tokens: events, total_tokens: 21 + events };
const about = { id: "chatcmpl-stub", created: 1_730_000_000, model: "stub" };
const whole = JSON.stringify({
  ...about,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }],
  usage,
});
const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ ...about, object: "chat.completion.chunk", ...rest })}\n\n`;
const event = chunk({ choices: [{ index: 0, delta: { content: "x".repeat(60) }, finish_reason: null }] });
const last = `${chunk({ choices: [], usage })}data: [DONE]\n\n`;

/** A vendor that answers at once: JSON of about 1 KB, or a stream whose events are each written alone. */
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    if (/"stream": ?true/.test(Buffer.concat(parts).toString())) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      for (let at = 0; at < events; at++) response.write(event);
      response.end(last);
    } else {
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
      response.end(whole);
    }
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1", () => process.send?.("ready"));
