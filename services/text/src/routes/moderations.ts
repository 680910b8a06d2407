import { wiresOfKind } from "@modelgate/contracts";
import type { EndpointHandler, ServiceCall } from "@modelgate/platform";
import { readJson } from "@modelgate/relay";
import { isRecord } from "@modelgate/formats/json";
import {
  defaultModerationModel,
  instructionBytes,
  parseJudgement,
  renderJudgementRequest,
  measureInput,
  wires,
  type ModerationAnswer,
  type ModerationRequest,
} from "@modelgate/wires/moderation";
import { vendorTextWire, type VendorTextWire } from "@modelgate/wires/text";
import type { UnstreamedVendor } from "@modelgate/wires/kind";
import { plainDialect } from "@modelgate/wires/vendor-stores";
import { vendorWire } from "@modelgate/wires/wire";
import type { Deps } from "../deps.ts";
import { UnstreamedKind } from "../unstreamed-kind.ts";
import { withStoreUse } from "../vendor-ids.ts";

type ModerationVendor = UnstreamedVendor<ModerationRequest, ModerationAnswer>;

const native = wires.moderations;

/** POST /v1/moderations, served by a vendor's moderation endpoint or by a chat model. */
export function moderations(deps: Deps): EndpointHandler {
  return async (call) => {
    using body = await readJson(
      call,
      deps.body,
      withStoreUse(deps, plainDialect, (value) => native.client.read(withModel(deps, call, value))),
      native.client.inspectedMembers,
    );
    await moderationKind.run(deps, call, body);
  };
}

const moderationKind = new UnstreamedKind<ModerationRequest, ModerationAnswer, ModerationVendor>({
  wire: native,
  wires: wiresOfKind.moderation,
  vendorOf: (name, request) =>
    Object.hasOwn(wires, name)
      ? vendorWire<ModerationVendor>(wires, name).vendor
      : judgingVendor(vendorTextWire(name), request),
  measureInput,
  addedBytes: instructionBytes,
});

/**
 * Adds a model to a request that names none: the default of OpenAI's SDKs, or the first moderation model that the caller
 * can call.
 */
function withModel({ relay }: Deps, { caller }: ServiceCall, value: unknown): unknown {
  if (!isRecord(value) || (value["model"] ?? undefined) !== undefined) return value;
  const models = relay.catalog
    .current()
    .modelsOf(caller)
    .filter(({ kind }) => kind === "moderation");
  const model = models.find(({ name }) => name === defaultModerationModel) ?? models[0];
  return model === undefined ? value : { ...value, model: model.name };
}

/** Output limit of a chat model's judgement, if the vendor's wire requires one. */
const judgementTokens = 8_192;

/** Returns the vendor side of a chat model that judges a request in place of a moderation endpoint. */
function judgingVendor({ vendor }: VendorTextWire, moderationRequest: ModerationRequest): ModerationVendor {
  return {
    addedBytes: instructionBytes,
    render(request, { model }) {
      const { request: judgement, dropped } = renderJudgementRequest(request);
      // The rendering's own `dropped` is replaced: it names fields of the gateway's prompt, which the client did not send.
      return { ...vendor.render(judgement, { model, defaultMaxTokens: judgementTokens }), dropped };
    },
    parse: (body) => parseJudgement(vendor.parse(body), moderationRequest),
    usage: (body) => vendor.usage(body),
  };
}
