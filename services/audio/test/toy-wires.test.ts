import { toyConfig, toyKey } from "../../../libs/relay/test/toys.ts";
import { startScriptedServer, type ScriptedServer } from "@modelgate/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";

let vendor: ScriptedServer;
let area: Area;
beforeAll(async () => {
  vendor = await startScriptedServer(() => ({ body: { sound: "hm", words: "Hallo", spent: 5 } }));
  const prices = { speech: { input: 1, outputAudio: 10 }, transcription: { input: 1 } };
  area = await startArea(service, { config: toyConfig(vendor.url, prices) });
});
afterAll(async () => {
  await area?.[Symbol.asyncDispose]();
  await vendor?.[Symbol.asyncDispose]();
});

test("a wire of speech can be added", async () => {
  const body = { model: "my-speech", input: "Hi", voice: "v", response_format: "pcm" };
  const response = await area.post("/v1/audio/speech", body, toyKey);
  expect([response.headers.get("content-type"), await response.text()]).toEqual(["audio/pcm", "hm"]);
  expect(vendor.requests.at(-1)).toMatchObject({ body: '{"speak":"Hi"}', url: "/answer?fast=1" });
  const { units } = await area.eventOf(response.headers.get("x-request-id"));
  expect(units).toMatchObject({ inputTokens: 5, outputAudioTokens: 7 });
});

test("a wire of transcripts can be added whose vendor gets the file as the body", async () => {
  const form = new FormData();
  form.set("model", "my-transcription");
  form.set("language", "de");
  form.set("file", new File(["wav"], "a.wav", { type: "audio/wav" }));
  const response = await area.post("/v1/audio/transcriptions", form, toyKey);
  expect(await response.json()).toMatchObject({ text: "Hallo", usage: { input_tokens: 5 } });
  expect(vendor.requests.at(-1)).toMatchObject({ body: "wav", url: "/answer?tongue=de" });
  const { units } = await area.eventOf(response.headers.get("x-request-id"));
  expect(units).toMatchObject({ inputTokens: 5 });
});
