import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { Exchange } from "@modelgate/relay";
import { wires as speechWires } from "@modelgate/wires/speech";
import { wires as transcriptWires, type TranscriptsVendor } from "@modelgate/wires/transcripts";
import { vendorWire } from "@modelgate/wires/wire";
import { register } from "../../../libs/wires/test/toys/register.ts";
import { toy as speaker } from "../../../libs/wires/test/toys/speech/index.ts";
import { toy as listener } from "../../../libs/wires/test/toys/transcripts/index.ts";
import { speechExchange } from "../src/speech/exchange.ts";
import { vendorExchange } from "../src/transcripts/vendor-exchange.ts";
import type { Upload } from "../src/upload/upload.ts";

/* One more wire of a kind is served once it is in the registry: a folder, and one line. */

/** Gives an exchange the vendor's answer, and returns the client's. */
async function answered({ read }: Exchange, answer: object) {
  const reader = read({ headers: {} });
  if (reader.kind !== "whole") throw new Error("an answer in one piece was expected");
  return await reader.read(Buffer.from(JSON.stringify(answer)));
}

/** A complete upload of a file. */
function uploadOf(entries: Upload["entries"], bytes: Buffer): Upload {
  const whole = Promise.resolve();
  const file = {
    name: "file",
    filename: "a.wav",
    contentType: "audio/wav",
    size: bytes.length,
    descriptor: 0,
    complete: whole,
    reached: () => whole,
    read: () => Readable.from([bytes]),
    [Symbol.asyncDispose]: () => whole,
  };
  const { signal: broken } = new AbortController();
  const breakOff = (): void => undefined;
  const dispose = { [Symbol.asyncDispose]: () => whole };
  return { entries, announced: undefined, isWhole: true, whole, begun: whole, file, broken, breakOff, ...dispose };
}

test("a wire of speech", async () => {
  const { request } = speechWires.speech.client.read({ model: "mine", input: "Hi", response_format: "pcm" });
  const target = { model: "theirs", events: false };
  const exchange = speechExchange({ request, strict: false }, target, register(speechWires, speaker));
  expect([exchange.wire, exchange.body, exchange.query]).toEqual(["toy", Buffer.from('{"speak":"Hi"}'), { fast: "1" }]);
  expect(await answered(exchange, { sound: "hm", spent: 5 })).toMatchObject({
    body: Buffer.from("hm"),
    contentType: "audio/pcm",
    usage: { inputTokens: 5 },
  });
});

test("a wire of transcripts", async () => {
  const entries = [
    ["model", "mine"],
    ["language", "de"],
  ] as const;
  const request = transcriptWires.transcriptions.client.read(entries);
  const wire = register(transcriptWires, listener);
  const { vendor } = vendorWire<TranscriptsVendor>(transcriptWires, wire);
  const upload = uploadOf(entries, Buffer.from("wav"));
  const exchange = await vendorExchange({ wire, upload, request: () => request, strict: false }, vendor, "theirs");
  expect([exchange.wire, exchange.query, exchange.headers]).toMatchObject([
    "toy",
    { tongue: "de" },
    { "content-length": "3" },
  ]);
  const { body, usage } = await answered(exchange, { words: "Hallo", spent: 5 });
  expect(usage).toEqual({ inputTokens: 5 });
  expect(JSON.parse(String(body))).toMatchObject({ text: "Hallo", usage: { input_tokens: 5 } });
});
