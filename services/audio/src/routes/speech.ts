import { Failure, speechWires } from "@modelgate/contracts";
import type { EndpointHandler } from "@modelgate/platform";
import { readJson, refuseVendorIds, runCall } from "@modelgate/relay";
import { refuseAmbiguous } from "@modelgate/wires/json";
import { charactersIn, wires, type SpeechRequest } from "@modelgate/wires/speech";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import type { Deps } from "../deps.ts";
import { waitingForEvents } from "../event-stream.ts";
import { speechExchange } from "../speech/exchange.ts";
import { isByTokens, speechMeasure } from "../speech/measure.ts";

const { client } = wires.speech;

/** POST /v1/audio/speech (interface endpoint 27). */
export function speech(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(call, deps.body, async (value, bytes) => {
      const asked = client.read(value).request;
      refuseAmbiguous(bytes, client.relied);
      await refuseVendorIds(deps.relay, call, { dialect: plainDialect, body: value });
      refuseTooLong(asked, deps);
      return asked;
    });
    const { seen: request } = body;
    await runCall(deps.relay, call, request.model, ({ model }) => ({
      // By the character the cost is known beforehand.
      hearsOut: isByTokens(model.price),
      cost: { by: "measure", measure: speechMeasure(request, model.price) },
      wires: speechWires,
      waiting: request.events ? waitingForEvents : undefined,
      exchange: ({ wire, candidate: { upstreamModel } }) => {
        const events = request.events || isByTokens(model.price);
        return speechExchange({ request, strict: call.strict }, { model: upstreamModel, events }, wire);
      },
    }));
  };
}

function refuseTooLong({ input }: SpeechRequest, { speech: { characters } }: Deps): void {
  const length = charactersIn(input);
  if (length > characters)
    throw new Failure("invalid_value", `input has ${length} characters; the limit is ${characters}.`, {
      param: "input",
    });
}
