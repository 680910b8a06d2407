import type { Catalog, CatalogChannel, ChannelKey } from "@modelgate/catalog";
import { prepareChannelRequest, readText, vendorOf, type Transport, type UpstreamRequest } from "@modelgate/channels";
import {
  Failure,
  videoWires,
  type UpstreamWire,
  type VideoWire,
  sessionWires,
  type SessionWire,
} from "@modelgate/contracts";
import { cleanText, errorInOneLine, type Provider, type VendorRequest } from "@modelgate/providers";
import { fields } from "./fields.ts";
import { probedWire, probeOf } from "./probe.ts";
import { trySession, type TriedCall } from "./try-session.ts";

const testMs = 30_000;
const testBytes = 4_096;

/**
 * Makes a small real call through a channel, with the key and model in `body` or the first ones. No account is charged.
 */
export async function testChannel(
  channel: CatalogChannel,
  body: unknown,
  { catalog, transport }: { readonly catalog: Catalog; readonly transport: Transport },
) {
  const [keyId, modelName] = [fields.optionalText(body, "key"), fields.optionalText(body, "model")];
  const key = keyId === undefined ? channel.keys[0] : keyOf(channel, keyId);
  const entry = modelName === undefined ? [...channel.models][0] : modelOf(channel, modelName);
  const vendor = vendorOf(channel, entry?.[1] ?? "");
  if (vendor === undefined || key === undefined || entry === undefined || channel.off !== undefined)
    throw new Failure("no_available_channel", `The channel is off: ${channel.off ?? "it has no key"}.`, {
      status: 409,
    });
  const [model, upstreamModel] = entry;
  const wire = probedWire(catalog.kindOf(model), vendor.wires);
  if (wire === undefined)
    throw new Failure("no_available_channel", "The channel has no wire format that a test can use.", { status: 409 });
  const send = prepareTest({ channel, provider: vendor.provider, key: key.secret, upstreamModel, transport }, wire);
  const startedAt = performance.now();
  const result = await send().catch((error: unknown) => {
    return {
      ok: false,
      status: 0,
      vendorMessage: errorInOneLine(error instanceof Error ? error.message : String(error)),
    };
  });
  return {
    channel: channel.id,
    key: key.id,
    model,
    ok: result.ok,
    status: result.status,
    ms: Math.round(performance.now() - startedAt),
    vendorMessage: cleanText(result.vendorMessage),
  };
}

/** Returns a channel's key. Throws Failure (404) if it does not exist. */
export function keyOf(channel: CatalogChannel, id: string): ChannelKey {
  const key = channel.keys.find((candidate) => candidate.id === id);
  if (key === undefined)
    throw new Failure("unknown_url", `The channel ${channel.id} has no key ${JSON.stringify(id.slice(0, 100))}.`);
  return key;
}

/** Returns a model's name, and its name at the vendor. Throws Failure (404) for another model. */
function modelOf(channel: CatalogChannel, name: string): readonly [name: string, upstreamModel: string] {
  const upstreamModel = channel.models.get(name);
  if (upstreamModel === undefined)
    throw new Failure("unknown_url", `The channel ${channel.id} has no model ${JSON.stringify(name.slice(0, 200))}.`);
  return [name, upstreamModel];
}

interface Test {
  readonly channel: CatalogChannel;
  readonly provider: Provider;
  readonly key: string;
  readonly upstreamModel: string;
  readonly transport: Transport;
}

/**
 * Returns a function that tests a wire: by the smallest call, a poll of an unknown video task, or the opening of a
 * session.
 */
function prepareTest(test: Test, wire: UpstreamWire): () => Promise<TriedCall> {
  if (isVideoWire(wire)) {
    const { provider } = test;
    const task = provider.taskOf?.("0", { model: "test", fromImage: false }) ?? "0";
    const request = provider.request({ act: "poll", ...endpointFields(test), wire, task });
    // A video is too expensive for a test. If the vendor refuses an unknown task, the address and the key are right.
    return () => sendTest(test, request, (status) => status < 300 || status === 400 || status === 404);
  }
  if (isSessionWire(wire)) {
    const { provider, upstreamModel } = test;
    const requestFields = endpointFields(test);
    const request = provider.request({ act: "session", ...requestFields, wire });
    const model = provider.modelInSession?.(requestFields.baseUrl, upstreamModel) ?? upstreamModel;
    return async () => trySession(await completeRequest(test, request), wire, model);
  }
  return async () => {
    const probe = await probeOf(wire, test.upstreamModel);
    const request = test.provider.request({ act: "answer", ...endpointFields(test), wire, stream: false, ...probe });
    return await sendTest(test, request, (status) => status < 300, true);
  };
}

async function sendTest(
  test: Test,
  request: VendorRequest,
  isGood: (status: number) => boolean,
  addsMembers = false,
): Promise<TriedCall> {
  const answer = await test.transport.send(
    await completeRequest(test, request, addsMembers),
    AbortSignal.timeout(testMs),
  );
  const { status } = answer;
  const text = await readText(answer, testBytes);
  return { status, ok: isGood(status), vendorMessage: isGood(status) ? text : errorInOneLine(text) };
}

async function completeRequest(
  { channel, key, provider }: Test,
  request: VendorRequest,
  addsMembers = false,
): Promise<UpstreamRequest> {
  return prepareChannelRequest(
    request,
    { channel, key: { secret: key }, provider },
    { timeoutMs: testMs, addsMembers },
  );
}

function endpointFields({ channel: { baseUrl }, key, upstreamModel: model }: Test) {
  return { baseUrl, key, model, nowMs: Date.now() };
}

function isVideoWire(wire: UpstreamWire): wire is VideoWire {
  return videoWires.some((candidate) => candidate === wire);
}

function isSessionWire(wire: UpstreamWire): wire is SessionWire {
  return sessionWires.some((candidate) => candidate === wire);
}
