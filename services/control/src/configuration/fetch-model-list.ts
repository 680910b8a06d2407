import { readText, type Transport } from "@modelgate/channels";
import { modelListRequest, parseModels, providers, errorInOneLine, type ListedModel } from "@modelgate/providers";

/** Maximum bytes of a model list, and maximum wait for it in ms. */
const [listBytes, listMs] = [8 * 1024 * 1024, 20_000];

/** Vendor and key of a request for a model list. */
export interface ModelListRequest {
  readonly provider: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly proxy: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Requests a vendor's list of models. Throws Error with the reason if there is no readable list. */
export async function fetchModelList(
  { provider: name, baseUrl, key, proxy, headers }: ModelListRequest,
  transport: Pick<Transport, "send">,
): Promise<readonly ListedModel[]> {
  const provider = providers[name];
  const request =
    provider && key !== undefined ? modelListRequest(provider, { baseUrl, key, nowMs: Date.now() }) : undefined;
  if (request === undefined) throw new Error(`${name} does not list its models: name them yourself`);
  const completeRequest = { ...request, headers: { ...request.headers, ...headers }, timeoutMs: listMs, proxy };
  const answer = await transport.send(completeRequest, AbortSignal.timeout(listMs));
  const text = await readText(answer, listBytes);
  if (answer.status >= 300)
    throw new Error(`its vendor answered ${answer.status} to the request for its models: ${errorInOneLine(text)}`);
  const models = parseModels(parseJson(text));
  if (models === undefined) throw new Error("its vendor's list of models cannot be read");
  return models;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
