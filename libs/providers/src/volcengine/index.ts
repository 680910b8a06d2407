import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/wires/json";
import { older } from "../by-name/row.ts";
import { vendorOfRow } from "../by-name/vendor.ts";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { readErrorBody } from "../error-body.ts";
import { keyRefused, meaningOfStatus, noModel, overloaded } from "../meanings.ts";
import { failureOf as usualFailure } from "../openai/failures.ts";
import type { Provider, VendorFailure } from "../provider.ts";
import { bearer, requestTo, type VendorRequest } from "../request.ts";

const byRow = vendorOfRow("volcengine", {
  title: "Volcengine Ark",
  baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
  keyVariable: "ARK_API_KEY",
  wires: ["chat", "responses", "embeddings", "images", "seedance-video"],
  dialect: older,
  docs: "https://www.volcengine.com/docs/82379/1494384",
});

/** Volcengine Ark: OpenAI's paths, and Seedance's video tasks under separate paths. */
export const volcengine: Provider = {
  ...byRow,
  request: (call) => (call.act === "poll" && call.wire === "seedance-video" ? pollVideo(call) : byRow.request(call)),
  start: startVideo,
  failureOf,
};

/**
 * Codes that refine the vendor's statuses (https://www.volcengine.com/docs/82379/1299023): the account cannot pay, or
 * has not activated the model. A policy violation is a 400 with a separate code.
 */
const keyCodes: ReadonlySet<string> = new Set(["AuthenticationError", "AccountOverdueError", "InvalidSubscription"]);
const modelCodes =
  /^(?:ModelNotOpen|InvalidEndpointOrModel|InvalidEndpoint|UnsupportedModel|OperationDenied\.ServiceNotOpen)/;

/** Classifies an error of this vendor: `{error: {code, message, param, type}}`. */
function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const { code = "" } = error;
  if (keyCodes.has(code)) return keyRefused(error);
  if (modelCodes.test(code)) return noModel;
  if (code === "ServerOverloaded") return overloaded;
  return status === 404 ? usualFailure(status, body) : meaningOfStatus(status, error);
}

/** Starts a task. */
function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const headers = { ...bearer(call), "content-type": "application/json" };
  return requestTo(tasksAt(call), call, headers, yield* stringifyInTurns(call.body));
}

function pollVideo(call: PollCall): VendorRequest {
  return requestTo(tasksAt(call, call.task), call, bearer(call));
}

function tasksAt({ baseUrl }: Pick<VendorCall, "baseUrl">, ...more: readonly string[]): URL {
  const path = ["/contents/generations/tasks", ...more.map(encodeURIComponent)].join("/");
  return new URL(baseUrl.replace(/\/+$/, "") + path);
}
