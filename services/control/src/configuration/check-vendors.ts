import type { ResolvedChannel } from "@modelgate/catalog";
import { prepareChannelRequest, readText, vendorOf, type Transport } from "@modelgate/channels";
import { sessionWires, videoWires, type ConfigurationProblem, type UpstreamWire } from "@modelgate/contracts";
import { modelListRequest, parseModels, errorInOneLine, type Provider, type VendorRequest } from "@modelgate/providers";

/** Maximum bytes of an answer, maximum wait in ms, and maximum concurrent requests. */
const [answerBytes, answerMs, maxConcurrent] = [8 * 1024 * 1024, 20_000, 8];

/**
 * Makes a free request to the vendor of every enabled channel, with each key, if there is such a request. Returns refused
 * keys, servers that do not answer, and, for channels with `models: "*"`, missing, unreadable or empty model lists.
 */
export async function checkVendors(
  channels: readonly ResolvedChannel[],
  transport: Pick<Transport, "send">,
): Promise<readonly ConfigurationProblem[]> {
  const requests = channels.flatMap((channel, at) =>
    channel.off === undefined ? channel.keys.map((key, index) => ({ channel, at, key, index })) : [],
  );
  const found: ConfigurationProblem[] = [];
  for (let start = 0; start < requests.length; start += maxConcurrent) {
    const checks = requests.slice(start, start + maxConcurrent).map(async ({ channel, at, key, index }) => {
      const path = channel.configuration.keys === undefined ? `channels[${at}]` : `channels[${at}].keys[${index}]`;
      const message = await findProblem(channel, key, transport);
      return message === undefined ? [] : [{ path, message }];
    });
    found.push(...(await Promise.all(checks)).flat());
  }
  return found;
}

/** Checks a channel with one key. Returns the problem, or undefined. */
async function findProblem(
  channel: ResolvedChannel,
  key: string,
  transport: Pick<Transport, "send">,
): Promise<string | undefined> {
  const { configuration, baseUrl } = channel;
  const [model = "m"] = Object.values(channel.models ?? configuration.models);
  const { provider, wires } = vendorOf({ ...configuration, baseUrl }, model) ?? {};
  if (provider === undefined) return undefined;
  const credentials = { baseUrl, key, nowMs: Date.now() };
  const list = modelListRequest(provider, credentials);
  const request = list ?? emptyRequest(provider, wires?.[0], { ...credentials, model });
  if (request === undefined) return undefined;
  try {
    const route = { channel, key: { secret: key }, provider };
    const answer = await transport.send(
      await prepareChannelRequest(request, route, { timeoutMs: answerMs }),
      AbortSignal.timeout(answerMs),
    );
    const text = await readText(answer, answerBytes);
    return list === undefined
      ? problemOfEmpty(provider, answer.status, text)
      : problemOfList(configuration.models === "*", answer.status, text);
  } catch (error) {
    return `cannot be used: ${errorInOneLine(error instanceof Error ? error.message : String(error))}`;
  }
}

/** Returns a request without content, which a vendor rejects only after it has accepted the key. */
function emptyRequest(
  provider: Provider,
  wire: UpstreamWire | undefined,
  credentials: { readonly baseUrl: string; readonly key: string; readonly nowMs: number; readonly model: string },
): VendorRequest | undefined {
  const isWireOf = (wires: readonly UpstreamWire[]): boolean => wires.some((candidate) => candidate === wire);
  if (wire === undefined || isWireOf(videoWires) || isWireOf(sessionWires)) return undefined;
  return provider.request({ act: "answer", ...credentials, wire, stream: false, body: Buffer.from("{}") });
}

function problemOfEmpty(provider: Provider, status: number, text: string): string | undefined {
  if (status < 300) return undefined;
  const { blame, code } = provider.failureOf(status, text);
  return blame === "request" || code === "upstream_rate_limited" ? undefined : answerText(status, text);
}

/** Returns the problem in an answer to a list request. A missing list is a problem only if the channel needs it. */
function problemOfList(isNeeded: boolean, status: number, text: string): string | undefined {
  if (status >= 300) return !isNeeded && (status === 404 || status === 405) ? undefined : answerText(status, text);
  if (!isNeeded) return undefined;
  const models = parseModels(parseJson(text));
  if (models === undefined) return "returned a list of models that cannot be read";
  return models.length > 0 ? undefined : "returned an empty list of models";
}

const answerText = (status: number, text: string): string => `returned status ${status}: ${errorInOneLine(text)}`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
