import { vendorTranscriptsWires, type TranscriptsWire } from "@modelgate/contracts";
import { once, type EndpointHandler } from "@modelgate/platform";
import { refuseVendorIdsInTurns, runCall } from "@modelgate/relay";
import { atOnce } from "@modelgate/wires/json";
import { modelInForm, wires, type TranscriptsRequest, type TranscriptsVendor } from "@modelgate/wires/transcripts";
import { formAsBody, plainDialect } from "@modelgate/wires/vendor-stores";
import { vendorWire } from "@modelgate/wires/wire";
import type { Deps } from "../deps.ts";
import { waitingForEvents } from "../event-stream.ts";
import { transcriptExchange } from "../transcripts/exchange.ts";
import { vendorExchange } from "../transcripts/vendor-exchange.ts";
import { transcriptMeasure } from "../transcripts/measure.ts";
import { mostHeard } from "../transcripts/most-heard.ts";
import { boundOf, lengthOf, type AudioLength } from "../upload/audio-length.ts";
import { openUpload } from "../upload/upload.ts";

/** POST /v1/audio/transcriptions (interface endpoint 25). */
export function transcriptions(deps: Deps): EndpointHandler {
  return transcripts(deps, "transcriptions");
}

/** POST /v1/audio/translations (interface endpoint 26). */
export function translations(deps: Deps): EndpointHandler {
  return transcripts(deps, "translations");
}

/**
 * A vendor is sent the file while the client still sends it, where the model came before it and its head says how much
 * has to be held. Else the file waits on disk until the form is whole.
 */
function transcripts(deps: Deps, wire: TranscriptsWire): EndpointHandler {
  return async (call) => {
    await using upload = openUpload(call, deps.upload);
    await upload.begun;
    const request = once((): TranscriptsRequest => {
      const read = wires[wire].client.read(upload.entries);
      // The fields of a form are small.
      atOnce(refuseVendorIdsInTurns(deps.relay, call, { dialect: plainDialect, body: formAsBody(read.own) }));
      return read;
    });
    const name = upload.isWhole ? request().model : (modelInForm(upload.entries) ?? "");
    // Read while the vendor works, since its answer waits for the money.
    let reading: Promise<unknown> = Promise.resolve();
    const length = once((): Promise<AudioLength> => {
      const found = lengthOf(upload, { reader: deps.lengths, mostUnread: deps.upload.mostUnreadSeconds });
      reading = found;
      return found;
    });
    // The file is closed after its last reader.
    await using _read = { [Symbol.asyncDispose]: () => reading.then(ignore, ignore) };
    let wanted: TranscriptsRequest | undefined;
    upload.whole
      .then(() => {
        wanted = request();
        return length();
      })
      .catch(ignore);
    const bound = await boundOf(upload, length);
    if (upload.isWhole) request();
    const promptBytes = upload.entries.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
    await runCall(deps.relay, call, name, ({ model }) => {
      const measure = transcriptMeasure({ promptBytes, bound, length }, model.price, call);
      return {
        hearsOut: true,
        cost: {
          by: "measure",
          measure: {
            ...measure,
            left: async () => (upload.isWhole ? (await measure.meter(undefined, noWords, "cancelled")).units : {}),
            most: { seconds: mostHeard({ bound, bytes: upload.announced ?? upload.file.size }) },
          },
        },
        wires: wire === "transcriptions" ? [wire, ...vendorTranscriptsWires] : [wire],
        waiting: { ...waitingForEvents, isDue: () => wanted?.stream === true },
        broken: upload.broken,
        exchange: ({ wire: upstreamWire, candidate: { upstreamModel } }) => {
          if (upstreamWire === wire) return transcriptExchange({ wire, upload, request }, upstreamModel);
          const vendor = vendorWire<TranscriptsVendor>(wires, upstreamWire);
          return vendorExchange(
            { wire: upstreamWire, upload, request, strict: call.strict },
            vendor.vendor,
            upstreamModel,
          );
        },
      };
    });
  };
}

function noWords(): Promise<number> {
  return Promise.resolve(0);
}

function ignore(): void {
  // How it ended shows where it matters.
}
