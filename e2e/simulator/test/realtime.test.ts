import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { simulate, startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator();
});
afterAll(() => started[Symbol.asyncDispose]());

/** Sends events in a session. Returns the received events until the end of a response. */
async function eventsFor(...clientEvents: readonly object[]): Promise<readonly any[]> {
  const socket = new WebSocket(`${started.url}/openai/v1/realtime?model=m`, { headers: { authorization: "Bearer k" } });
  const events: any[] = [];
  const over = new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      const event = JSON.parse(data.toString());
      events.push(event);
      if (event.type === "response.done" || event.type === "error") resolve();
    });
  });
  await once(socket, "open");
  for (const event of clientEvents) socket.send(JSON.stringify(event));
  await over;
  socket.close();
  return events;
}

const userMessage = (text: string) => ({
  type: "conversation.item.create",
  item: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});
const answer = (...output_modalities: readonly string[]) => ({
  type: "response.create",
  response: { output_modalities },
});

test.each(["text", "audio"])("an answer in %s: its part starts and ends with events of that type", async (modality) => {
  const events = await eventsFor(userMessage("Hi"), answer(modality));
  const types = events.map(({ type }) => type);
  expect(types[0]).toBe("session.created");
  expect(types).toContain(modality === "text" ? "response.output_text.delta" : "response.output_audio.delta");
  const parts = events.filter(({ type }) => /content_part/.test(type)).map(({ part }) => part);
  expect(parts).toEqual([
    { type: modality, [modality === "text" ? "text" : "transcript"]: "" },
    { type: modality, [modality === "text" ? "text" : "transcript"]: "You said: Hi" },
  ]);
});

test("a response reports its usage, or nothing if the prompt requests that", async () => {
  const usage = async (words: string) => (await eventsFor(userMessage(words), answer("text"))).at(-1).response.usage;
  expect(await usage("Hi")).toMatchObject({ output_token_details: { audio_tokens: 0 } });
  expect(await usage(simulate({ usage: null }))).toBeNull();
});

test("a malformed event is refused, and the error names its field", async () => {
  expect((await eventsFor({ ...userMessage("Hi"), colour: "red" })).at(-1)).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", param: "colour" },
  });
});
