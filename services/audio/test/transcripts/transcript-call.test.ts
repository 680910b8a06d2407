import { expect, test } from "vitest";
import { wires } from "@modelgate/wires/transcripts";
import { transcriptCall } from "../../src/transcripts/transcript-call.ts";
import type { Upload } from "../../src/upload/upload.ts";

const start = [["model", "m"]] as const;
const complete = [...start, ["language", "de"], ["response_format", "srt"]] as const;

/** Starts a call whose fields after the file arrive when `complete` is called. */
function startUpload() {
  const done = Promise.withResolvers<void>();
  let isComplete = false;
  const upload: Upload = {
    entries: start,
    announcedBytes: undefined,
    get isComplete() {
      return isComplete;
    },
    completed: done.promise,
    modelReceived: Promise.resolve(),
    get file(): never {
      throw new Error("not read in this test");
    },
    failedSignal: new AbortController().signal,
    breakOff: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const request = () => wires.transcriptions.client.read(complete);
  return {
    call: transcriptCall({ wire: "transcriptions", upload, request }, true),
    complete() {
      isComplete = true;
      done.resolve();
    },
  };
}

test.each([
  ["voxtral-mini-latest", "srt", "de"],
  ["whisper-1", "json", undefined],
])("the request for %s, sent during the upload, has the format %s", async (model, format, language) => {
  const { call, complete } = startUpload();
  const requests = call.requests(wires.transcriptions.vendor, { model });
  complete();
  const [request] = await requests;
  expect([request.format, request.language]).toEqual([format, language]);
});
