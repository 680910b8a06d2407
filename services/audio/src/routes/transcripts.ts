import { vendorTranscriptsWires, type TranscriptsWire } from "@modelgate/contracts";
import { once, type EndpointHandler } from "@modelgate/platform";
import { exchangeWith, formAsBody, refuseVendorIdsInTurns, runCall, type CallKind, type Plan } from "@modelgate/relay";
import { runToEnd } from "@modelgate/formats/json";
import { modelInForm, wires, type TranscriptsRequest, type TranscriptsVendor } from "@modelgate/wires/transcripts";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import { vendorWire } from "@modelgate/wires/wire";
import type { Deps } from "../deps.ts";
import { pendingEventStream } from "../event-stream.ts";
import { transcriptCall, type TranscriptCall } from "../transcripts/transcript-call.ts";
import { maxBilledSeconds, transcriptMeasure, type TranscriptSize } from "../transcripts/measure.ts";
import { maxSecondsOf, lengthOf, type AudioLength } from "../upload/audio-length.ts";
import { openUpload } from "../upload/upload.ts";

/** POST /v1/audio/transcriptions. */
export function transcriptions(deps: Deps): EndpointHandler {
  return transcripts(deps, "transcriptions");
}

/** POST /v1/audio/translations. */
export function translations(deps: Deps): EndpointHandler {
  return transcripts(deps, "translations");
}

/**
 * Handles an upload. The file is sent to the vendor during the upload if the model and the maximum length are known
 * early. Otherwise it waits on disk until the form is complete.
 */
function transcripts(deps: Deps, wire: TranscriptsWire): EndpointHandler {
  return async (call) => {
    await using upload = openUpload(call, deps.upload);
    await upload.modelReceived;
    const request = once((): TranscriptsRequest => {
      const read = wires[wire].client.read(upload.entries);
      // Checked without a pause, because the fields of a form are small.
      runToEnd(refuseVendorIdsInTurns(deps.relay, call, { dialect: plainDialect, body: formAsBody(read.additional) }));
      return read;
    });
    const name = upload.isComplete ? request().model : (modelInForm(upload.entries) ?? "");
    // Reading of the file's length. It starts when the upload is complete and runs while the vendor works.
    let reading: Promise<unknown> = Promise.resolve();
    // Stops the reading if the client disconnects before the call is planned. A planned call may be charged by the
    // length.
    const withdrawn = new AbortController();
    const withdraw = (): void => withdrawn.abort();
    call.ending.addEventListener("abort", withdraw, { once: true });
    const length = once((): Promise<AudioLength> => {
      const owner = { account: call.caller.accountId, signal: withdrawn.signal };
      const audioLength = lengthOf(upload, {
        reader: deps.lengths,
        maxUnreadSeconds: deps.upload.maxUnreadSeconds,
        owner,
      });
      reading = audioLength;
      return audioLength;
    });
    // The file is closed only after the reading of its length has ended.
    await using _read = { [Symbol.asyncDispose]: () => reading.then(ignore, ignore) };
    let transcriptRequest: TranscriptsRequest | undefined;
    upload.completed
      .then(() => {
        transcriptRequest = request();
        return length();
      })
      .catch(ignore);
    const maxSeconds = await maxSecondsOf(upload, length);
    call.ending.removeEventListener("abort", withdraw);
    if (upload.isComplete) request();
    // If the length cannot be read later, the maximum is charged. That happens only for uncompressed samples, whose
    // maximum is exact.
    const chargedLength = () => length().catch(() => ({ seconds: maxSeconds, isMeasured: true }));
    const promptBytes = upload.entries.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
    await runCall(deps.relay, call, transcriptsKind, {
      model: name,
      wire,
      upload,
      request,
      size: { promptBytes, maxSeconds, length: chargedLength },
      canSendHeartbeat: () => transcriptRequest?.stream === true,
    });
  };
}

/** Request to transcribe an uploaded file. */
interface FileRequest extends TranscriptCall {
  readonly model: string;
  readonly size: TranscriptSize;
  /** Returns true if heartbeats may be sent: once the form is complete and requests a stream. */
  readonly canSendHeartbeat: () => boolean;
}

interface TranscriptPlan extends Plan {
  readonly converted: ReturnType<typeof transcriptCall>;
}

/** Call kind of transcriptions and translations of audio. */
const transcriptsKind: CallKind<FileRequest, TranscriptPlan> = {
  plan(call, file, { model }) {
    const { upload, size, wire } = file;
    const measure = transcriptMeasure(size, model.price, call);
    return {
      converted: transcriptCall(file, call.refusesUnsupported),
      finishAfterDisconnect: true,
      cost: {
        by: "measure",
        measure: {
          ...measure,
          usageAfterDisconnect: async () =>
            upload.isComplete ? (await measure.meter(undefined, countNoTokens, "cancelled")).units : {},
          bound: {
            seconds: maxBilledSeconds({
              maxSeconds: size.maxSeconds,
              bytes: upload.announcedBytes ?? upload.file.size,
            }),
          },
        },
      },
      wires: wire === "transcriptions" ? [wire, ...vendorTranscriptsWires] : [wire],
      pendingStream: { ...pendingEventStream, canSendHeartbeat: file.canSendHeartbeat },
      bodyFailed: upload.failedSignal,
    };
  },
  exchange: ({ converted }, { wire, candidate }) =>
    exchangeWith(vendorWire<TranscriptsVendor>(wires, wire), converted, { model: candidate.upstreamModel }),
};

function countNoTokens(): Promise<number> {
  return Promise.resolve(0);
}

function ignore(): void {
  // The code that awaits the same promise handles its error.
}
