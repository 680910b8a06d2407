import { wiresOfKind } from "@modelgate/contracts";
import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { checked, readJson, renderSupported, type Exchange } from "@modelgate/relay";
import { kindExchange, wholeExchange, type KindCall } from "../exchanges/kind.ts";
import { isRecord } from "@modelgate/wires/json";
import {
  bytesOfInstructions,
  parseJudgement,
  renderJudgementRequest,
  sizeOf,
  wires,
  type ModerationAnswer,
  type ModerationRequest,
} from "@modelgate/wires/moderation";
import { vendorTextWire, type VendorTextWire } from "@modelgate/wires/text";
import type { WholeVendor } from "@modelgate/wires/kind";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import { vendorWire } from "@modelgate/wires/wire";
import type { Deps } from "../deps.ts";
import { WholeKind } from "../whole-kind.ts";
import { withStoreUse } from "../vendor-ids.ts";

type ModerationVendor = WholeVendor<ModerationRequest, ModerationAnswer>;

const native = wires.moderations;

/**
 * POST /v1/moderations (interface endpoint 11): by a vendor that has it, or by a chat model. A model of kind
 * `moderation` behind a vendor without the endpoint is such a chat model.
 */
export function moderations(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(
      call,
      deps.body,
      checked(
        withStoreUse(deps, plainDialect, (value) => native.client.read(withModel(deps, call, value))),
        native.client.relied,
      ),
    );
    await moderationKind.run(deps, call, body);
  };
}

/** Moderation, by a vendor that has it or by a chat model. */
const moderationKind = new WholeKind<ModerationRequest>({
  sizeOf,
  wires: wiresOfKind.moderation,
  exchange: (wire, kindCall, upstreamModel) =>
    Object.hasOwn(wires, wire)
      ? kindExchange(kindCall, native, wire, vendorWire<ModerationVendor>(wires, wire).vendor, upstreamModel)
      : judged(kindCall, vendorTextWire(wire), upstreamModel),
  addedBytes: bytesOfInstructions,
});

/** A request that names no model means the first one of this kind that its caller has. */
function withModel({ relay }: Deps, { caller }: ServiceCall, value: unknown): unknown {
  if (!isRecord(value) || (value["model"] ?? undefined) !== undefined) return value;
  const model = relay.catalog
    .current()
    .modelsOf(caller)
    .find(({ kind }) => kind === "moderation");
  return model === undefined ? value : { ...value, model: model.name };
}

/** Output tokens that a judgement may take where a vendor's wire demands a number. */
const judgementTokens = 8_192;

/** A chat model's judgement as the answer of a vendor that judges natively. */
function judged(
  call: KindCall<ModerationRequest>,
  { name: wire, vendor }: VendorTextWire,
  upstreamModel: string,
): Promise<Exchange> {
  const { request, dropped: before } = renderJudgementRequest(call.request);
  const unsupportedRules = { spelling: native.client.spelling, strict: call.strict };
  const { body, dropped } = renderSupported(unsupportedRules, before, () => {
    const target = { model: upstreamModel, defaultMaxTokens: judgementTokens };
    // Hints that get lost here are the gateway's own: the client gave none.
    return { ...vendor.render(request, target), dropped: [] };
  });
  return wholeExchange({
    wire,
    body,
    bodyBytes: call.bodyBytes,
    dropped,
    usageOf: (answer) => vendor.parse(answer).usage,
    addedBytes: bytesOfInstructions,
    render: (answer) => native.client.render(parseJudgement(vendor.parse(answer), call.request), call),
  });
}
