import {
  imageGenerationWires,
  rankingWires,
  realtimeWires,
  speechWires,
  textWireNames,
  upstreamWires,
  vectorsWires,
  vendorTranscriptsWires,
  videoWires,
  wiresOfKind,
} from "@modelgate/contracts";
import { providers, type Provider } from "@modelgate/providers";
import { stringifyInTurns } from "@modelgate/formats/json";
import { wires as images } from "@modelgate/wires/images";
import { wires as moderation } from "@modelgate/wires/moderation";
import { wires as ranking } from "@modelgate/wires/ranking";
import { wires as realtime } from "@modelgate/wires/realtime";
import { wires as speech } from "@modelgate/wires/speech";
import { wires as text } from "@modelgate/wires/text";
import { wires as transcripts } from "@modelgate/wires/transcripts";
import { wires as vectors } from "@modelgate/wires/vectors";
import { wires as video } from "@modelgate/wires/video";
import { toy as imagesToy } from "../../wires/test/toys/images/index.ts";
import { toy as moderationToy } from "../../wires/test/toys/moderation/index.ts";
import { toy as rankingToy } from "../../wires/test/toys/ranking/index.ts";
import { toy as realtimeToy } from "../../wires/test/toys/realtime/index.ts";
import { toy as textToy } from "../../wires/test/toys/text/index.ts";
import { toy as speechToy } from "../../wires/test/toys/speech/index.ts";
import { toy as transcriptsToy } from "../../wires/test/toys/transcripts/index.ts";
import { toy as vectorsToy } from "../../wires/test/toys/vectors/index.ts";
import { toy as videoToy } from "../../wires/test/toys/video/index.ts";

/*
 * One more wire of each kind. In addition to its folder, a wire is a name in the list of its kind and a line in the
 * registry of the kind; only the type checker treats both as read-only. A test imports this file before its service,
 * since some lists are copied when a module is loaded.
 */
for (const [names, wires, toy] of [
  [textWireNames, text, textToy],
  [vectorsWires, vectors, vectorsToy],
  [rankingWires, ranking, rankingToy],
  [wiresOfKind.moderation, moderation, moderationToy],
  [imageGenerationWires, images, imagesToy],
  [speechWires, speech, speechToy],
  [vendorTranscriptsWires, transcripts, transcriptsToy],
  [videoWires, video, videoToy],
  [realtimeWires, realtime, realtimeToy],
] as const) {
  Object.assign(names, { [names.length]: toy.name });
  Object.assign(wires, { [toy.name]: toy });
}
Object.assign(upstreamWires, { [upstreamWires.length]: "toy" });

/** The last part of an address names the act of the call. */
const provider = {
  name: "toy",
  wires: upstreamWires.slice(-1),
  request(call) {
    const path = call.act === "poll" ? `poll/${call.task}` : call.act;
    const query = new URLSearchParams(call.act === "answer" ? call.query : {});
    const url = new URL(`${call.baseUrl}/${path}?${query.toString()}`);
    if (call.act !== "answer") return { url, method: "GET", headers: call.headers ?? {} };
    const headers = { "content-type": "application/json", ...call.headers };
    return { url, method: "POST", headers, body: call.body };
  },
  *start(call) {
    const body = yield* stringifyInTurns(call.body);
    const headers = { "content-type": "application/json" };
    return { url: new URL(`${call.baseUrl}/start`), method: "POST", headers, body };
  },
  failureOf: () => ({ code: "upstream_error", retryable: true, blame: "channel" }),
} as const satisfies Provider;
Object.assign(providers, { toy: provider });

/** Returns a configuration of the toy vendor with one model of each kind. */
export function toyConfig(url: string, prices: Readonly<Record<string, object>>): object {
  const models = Object.keys(prices).map((kind) => [`my-${kind}`, { kind, price: prices[kind] }] as const);
  const names = Object.fromEntries(models.map(([name]) => [name, "theirs"]));
  return {
    groups: { default: { models: ["*"] } },
    models: Object.fromEntries(models),
    channels: [{ id: "toy", provider: "toy", baseUrl: url, keys: ["k"], models: names }],
    accounts: { demo: { balance: "10.00", tokens: [{ key: toyKey, group: "default" }] } },
  };
}

export const toyKey = "sk-demo-0123456789abcdef";
