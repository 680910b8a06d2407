import { createServer, type ServerResponse } from "node:http";
import { setImmediate, setTimeout } from "node:timers/promises";
import { eventsOfStream, models, spacingMs } from "./stub-models.ts";

/** Text of an answer. With it, the complete answer has 1 KB. */
const answerText = "The quick brown fox jumps over the lazy dog. ".repeat(20).slice(0, 620);
const usage = { prompt_tokens: 21, completion_tokens: eventsOfStream, total_tokens: 21 + eventsOfStream };
const commonMembers = { id: "chatcmpl-stub", created: 1_730_000_000, model: "stub" };
const completeAnswer = JSON.stringify({
  ...commonMembers,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: answerText }, finish_reason: "stop" }],
  usage,
});
const chunk = (rest: object): string =>
  `data: ${JSON.stringify({ ...commonMembers, object: "chat.completion.chunk", ...rest })}\n\n`;
const event = chunk({ choices: [{ index: 0, delta: { content: "x".repeat(60) }, finish_reason: null }] });
const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
const lastEvents = `${finish}${chunk({ choices: [], usage })}data: [DONE]\n\n`;
/**
 * Vendor that answers with JSON, or with a stream whose events are written separately: at once, or at intervals
 * (`spaced`).
 */
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => void answer(Buffer.concat(parts), response));
});

async function answer(body: Buffer, response: ServerResponse): Promise<void> {
  if (!body.includes('"stream":true') && !body.includes('"stream": true')) {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(completeAnswer),
    });
    response.end(completeAnswer);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(event);
  if (body.includes(`"${models.open}"`)) return; // the stream stays open until the gateway disconnects
  const isSpaced = body.includes(`"${models.spaced}"`);
  for (let at = 1; at < eventsOfStream && !response.destroyed; at++) {
    await (isSpaced ? setTimeout(spacingMs) : setImmediate());
    response.write(event);
  }
  response.end(lastEvents);
}

server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2]), "127.0.0.1", () => process.send?.("ready"));
