import type { UpstreamWire } from "@modelgate/contracts";
import { anthropic } from "./anthropic/index.ts";
import { azure } from "./azure/index.ts";
import { bedrock } from "./bedrock/index.ts";
import { rowVendors } from "./by-name/vendor.ts";
import { cohere } from "./cohere/index.ts";
import { deepgram } from "./deepgram/index.ts";
import { elevenlabs } from "./elevenlabs/index.ts";
import { gemini } from "./gemini/index.ts";
import { jimeng } from "./jimeng/index.ts";
import { jina } from "./jina/index.ts";
import { kling } from "./kling/index.ts";
import { openai } from "./openai/index.ts";
import { qwen } from "./qwen/index.ts";
import { vertex } from "./vertex/index.ts";
import { volcengine } from "./volcengine/index.ts";
import { byUniqueName, type Provider } from "./provider.ts";

export { cleanText } from "./clean.ts";
export { readErrorBody } from "./error-body.ts";
export type { AnswerCall, Base64File, RunCall, StartCall, VendorCall } from "./call.ts";
export { modelListRequest, parseModels, type ListedModel } from "./model-list.ts";
export type { Provider, VendorFailure } from "./provider.ts";
export type { Reframing } from "./provider.ts";
export type { VendorRequest } from "./request.ts";
export { errorInOneLine } from "./error-body.ts";
export { CredentialsFailed, signRequest } from "./signing.ts";
export type { SigningCall } from "./call.ts";

/** Returns true if a vendor supports a wire, at least for some models. */
export function supportsWire({ wires, moreWires = [] }: Provider, wire: UpstreamWire): boolean {
  return wires.includes(wire) || moreWires.includes(wire);
}

/** All vendors, by the names that channels use. */
export const providers: Readonly<Record<string, Provider>> = byUniqueName([
  openai,
  anthropic,
  gemini,
  azure,
  jina,
  cohere,
  qwen,
  kling,
  jimeng,
  bedrock,
  vertex,
  elevenlabs,
  deepgram,
  volcengine,
  ...rowVendors,
]);
