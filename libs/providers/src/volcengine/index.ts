import { Failure } from "@modelgate/contracts";
import { stringifyInTurns } from "@modelgate/formats/json";
import { olderDialect } from "../by-name/row.ts";
import { vendorOfRow } from "../by-name/vendor.ts";
import type { PollCall, StartCall, VendorCall } from "../call.ts";
import { readErrorBody } from "../error-body.ts";
import { keyRefused, failureOfStatus, unknownModelFailure, vendorOverloaded } from "../vendor-failures.ts";
import { failureOf as usualFailure } from "../openai/failures.ts";
import type { Provider, VendorFailure } from "../provider.ts";
import { bearerHeader, requestTo, type VendorRequest } from "../request.ts";

const rowProvider = vendorOfRow("volcengine", {
  title: "Volcengine Ark",
  baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
  keyVariable: "ARK_API_KEY",
  wires: ["chat", "responses", "embeddings", "images", "seedance-video"],
  dialect: olderDialect,
  docs: "https://www.volcengine.com/docs/82379/1494384",
});

/** Volcengine Ark: OpenAI's paths, and Seedance's videos. */
export const volcengine: Provider = {
  ...rowProvider,
  request: (call) =>
    call.act === "poll" && call.wire === "seedance-video" ? pollVideo(call) : rowProvider.request(call),
  start: startVideo,
  failureOf,
};

/** Codes of refused keys and accounts; see https://www.volcengine.com/docs/82379/1299023. */
const keyCodes: ReadonlySet<string> = new Set(["AuthenticationError", "AccountOverdueError", "InvalidSubscription"]);
const modelCodes =
  /^(?:ModelNotOpen|InvalidEndpointOrModel|InvalidEndpoint|UnsupportedModel|OperationDenied\.ServiceNotOpen)/;

function failureOf(status: number, body: string): VendorFailure {
  const error = readErrorBody(body);
  const { code = "" } = error;
  if (keyCodes.has(code)) return keyRefused(error);
  if (modelCodes.test(code)) return unknownModelFailure;
  if (code === "ServerOverloaded") return vendorOverloaded;
  return status === 404 ? usualFailure(status, body) : failureOfStatus(status, error);
}

function* startVideo(call: StartCall): Generator<undefined, VendorRequest> {
  if (call.remixOf !== undefined)
    throw new Failure("unsupported_parameter", "The vendor of this model cannot remix videos.");
  const headers = { ...bearerHeader(call), "content-type": "application/json" };
  return requestTo(tasksAt(call), call, headers, yield* stringifyInTurns(call.body));
}

function pollVideo(call: PollCall): VendorRequest {
  return requestTo(tasksAt(call, call.task), call, bearerHeader(call));
}

function tasksAt({ baseUrl }: Pick<VendorCall, "baseUrl">, ...segments: readonly string[]): URL {
  const path = ["/contents/generations/tasks", ...segments.map(encodeURIComponent)].join("/");
  return new URL(baseUrl.replace(/\/+$/, "") + path);
}
