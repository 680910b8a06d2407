import type { Transport } from "@modelgate/channels";
import { Failure, isSendableKey, type ModelKind } from "@modelgate/contracts";
import { cleanText, providers, type ListedModel, type Provider } from "@modelgate/providers";
import { fetchModelList } from "../configuration/fetch-model-list.ts";
import { baseUrlProblem, unsafeAddress } from "../configuration/addresses.ts";
import { kindOfListed } from "../configuration/listed-kind.ts";

/** Model that a vendor lists. The kind is judged by the name. */
export interface OfferedModel {
  readonly id: string;
  readonly kind: ModelKind;
  readonly price: ListedModel["price"];
  readonly contextTokens: ListedModel["contextTokens"];
}

/** Listed models, or a message why the list is missing. */
export interface ListedModels {
  readonly models: readonly OfferedModel[];
  readonly message: string | null;
}

/** Vendor, address and key for a request for models. */
export interface ModelListQuery {
  readonly provider: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly proxy: string | undefined;
}

/**
 * Requests the models of a vendor. Throws Failure for an invalid field, such as a base URL with the port of an address
 * in `internalAddresses`.
 */
export async function listModels(
  query: ModelListQuery,
  transport: Transport,
  internalAddresses: readonly string[],
): Promise<ListedModels> {
  const provider = Object.hasOwn(providers, query.provider) ? providers[query.provider] : undefined;
  if (provider === undefined) throw invalidField("provider", "is not a known vendor");
  const problem =
    baseUrlProblem(query.baseUrl, provider) ?? unsafeAddress(new URL(query.baseUrl).origin, internalAddresses);
  if (problem !== undefined) throw invalidField("baseUrl", problem);
  if (!isSendableKey(query.key)) throw invalidField("key", "contains characters that are not allowed in a header");
  const { keyForm } = provider;
  if (keyForm !== undefined && !keyForm.pattern.test(query.key))
    throw invalidField("key", `is not a key of the form ${keyForm.description}`);
  try {
    const models = await fetchModelList(query, transport);
    return {
      models: servableModels(models, provider),
      message: models.length > 0 ? null : `${provider.name} does not list its models: name them yourself`,
    };
  } catch (error) {
    return { models: [], message: cleanText(error instanceof Error ? error.message : String(error)) };
  }
}

/** Returns the models that a channel to this vendor can serve. */
function servableModels(models: readonly ListedModel[], { wires }: Provider): readonly OfferedModel[] {
  const kinds = models.flatMap(({ name: id, price, contextTokens }) => {
    const kind = kindOfListed(id, wires);
    return kind === undefined ? [] : [{ id, kind, price, contextTokens }];
  });
  return kinds.toSorted((left, right) => left.id.localeCompare(right.id));
}

function invalidField(param: string, message: string): Failure {
  return new Failure("invalid_value", `${param} ${message}.`, { param });
}
