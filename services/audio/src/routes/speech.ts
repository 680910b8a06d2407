import { Failure, speechWires } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { exchangeWith, readJson, refuseVendorIds, runCall, type CallKind, type Plan } from "@modelgate/relay";
import { refuseAmbiguous } from "@modelgate/formats/json";
import {
  countCharacters,
  wires,
  type SpeechRequest,
  type SpeechTarget,
  type SpeechVendor,
} from "@modelgate/wires/speech";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import { vendorWire } from "@modelgate/wires/wire";
import type { Deps } from "../deps.ts";
import { pendingEventStream } from "../event-stream.ts";
import { speechCall } from "../speech/speech-call.ts";
import { isByTokens, speechMeasure } from "../speech/measure.ts";

const { client } = wires.speech;

/** POST /v1/audio/speech. */
export function speech(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, async (value, bytes) => {
      const request = client.read(value).request;
      refuseAmbiguous(bytes, client.inspectedMembers);
      await refuseVendorIds(deps.relay, call, { dialect: plainDialect, body: value });
      refuseTooLong(request, deps);
      return request;
    });
    await runCall(deps.relay, call, speechKind, body.inspected);
  };
}

interface SpeechPlan extends Plan {
  readonly converted: ReturnType<typeof speechCall>;
  /** True if the vendor must send an event stream: the client requests one, or the model is priced by tokens. */
  readonly events: boolean;
}

/** Call kind of speech synthesis. */
const speechKind: CallKind<SpeechRequest, SpeechPlan> = {
  plan({ refusesUnsupported }, request, { model: { price } }) {
    const byTokens = isByTokens(price);
    return {
      converted: speechCall(request, refusesUnsupported),
      events: request.events || byTokens,
      // With a price per token, the answer is read to its end, because the vendor then reports the usage. With a price
      // per character, the cost is known already.
      finishAfterDisconnect: byTokens,
      cost: { by: "measure", measure: speechMeasure(request, price) },
      wires: speechWires,
      pendingStream: request.events ? pendingEventStream : undefined,
    };
  },
  exchange({ converted, events }, { wire, candidate }) {
    const target: SpeechTarget = { model: candidate.upstreamModel, events };
    return exchangeWith(vendorWire<SpeechVendor>(wires, wire), converted, target);
  },
};

function refuseTooLong({ input }: SpeechRequest, { speech: { characters } }: Deps): void {
  const length = countCharacters(input);
  if (length > characters)
    throw new Failure("invalid_value", `input has ${length} characters; the limit is ${characters}.`, {
      param: "input",
    });
}
