import type { Transport } from "@modelgate/channels";
import { Failure, isSendableKey, type ModelKind } from "@modelgate/contracts";
import { cleanText, providers, type ListedModel, type Provider } from "@modelgate/providers";
import { askModels } from "../configuration/ask-models.ts";
import { baseUrlProblem, unsafeAddress } from "../configuration/addresses.ts";
import { kindOfListed } from "../configuration/listed-kind.ts";

/** A model that a vendor lists, and its kind judging by its name. */
export interface OfferedModel {
  readonly id: string;
  readonly kind: ModelKind;
  readonly price: ListedModel["price"];
  readonly contextTokens: ListedModel["contextTokens"];
}

/** Result of requesting a vendor's models: the models, or the vendor's message. */
export interface ListedModels {
  readonly models: readonly OfferedModel[];
  readonly message: string | null;
}

/** Vendor whose models are requested, and the key to use. */
export interface ListWish {
  readonly provider: string;
  readonly baseUrl: string;
  readonly key: string;
}

/**
 * Requests a vendor's models, unless its address is `inside`. Throws Failure invalid_value naming the invalid field.
 */
export async function listModels(
  wish: ListWish,
  transport: Transport,
  inside: readonly string[],
): Promise<ListedModels> {
  const provider = Object.hasOwn(providers, wish.provider) ? providers[wish.provider] : undefined;
  if (provider === undefined) throw wrong("provider", "is not a vendor that this build knows");
  const problem = baseUrlProblem(wish.baseUrl, provider) ?? unsafeAddress(new URL(wish.baseUrl).origin, inside);
  if (problem !== undefined) throw wrong("baseUrl", problem);
  if (!isSendableKey(wish.key)) throw wrong("key", "holds what no header can carry");
  const { keyForm } = provider;
  if (keyForm !== undefined && !keyForm.pattern.test(wish.key))
    throw wrong("key", `is no key of the form ${keyForm.words}`);
  try {
    const models = await askModels(wish, transport);
    return {
      models: offered(models, provider),
      message: models.length > 0 ? null : `${provider.name} lists no model: name them`,
    };
  } catch (error) {
    return { models: [], message: cleanText(error instanceof Error ? error.message : String(error)) };
  }
}

/** Returns the models that a channel to this vendor can serve, judging by their names. */
function offered(models: readonly ListedModel[], { wires }: Provider): readonly OfferedModel[] {
  const kinds = models.flatMap(({ name: id, price, contextTokens }) => {
    const kind = kindOfListed(id, wires);
    return kind === undefined ? [] : [{ id, kind, price, contextTokens }];
  });
  return kinds.toSorted((one, other) => one.id.localeCompare(other.id));
}

function wrong(param: string, message: string): Failure {
  return new Failure("invalid_value", `${param} ${message}.`, { param });
}
