import { Type, type Static } from "typebox";
import type { ResolvedChannel } from "@modelgate/catalog";
import { endModelCooldowns, startModelCooldown, type Transport } from "@modelgate/channels";
import { recordParser, UnknownShape } from "@modelgate/contracts";
import type { Logger, Redis } from "@modelgate/platform";
import { cleanText } from "@modelgate/providers";
import { fetchModelList, type ModelListRequest } from "./fetch-model-list.ts";

/** Redis hash of vendors' last model lists by channel id. */
const listsKey = "vendor-models";
/** Delay in ms before a failed list request is repeated. */
const retryMs = 60_000;
/** Time in ms for which a model that is no longer listed stays in cooldown. */
const goneCooldownMs = 7 * 86_400_000;

const VendorList = Type.Object({
  checkedAt: Type.Number(),
  baseUrl: Type.String(),
  models: Type.Array(Type.String()),
  gone: Type.Record(Type.String(), Type.Number()),
  failed: Type.Optional(Type.String()),
});
type VendorList = Static<typeof VendorList>;
const readList = recordParser("vendor's list of models", VendorList);

/** Dependencies of the vendors' model lists. */
export interface VendorListDeps {
  readonly redis: Redis;
  readonly transport: Transport;
  readonly log: Logger;
  /** Interval in ms between requests for a list. */
  readonly everyMs: number;
}

/** Model lists of vendors, for channels that serve every listed model. */
export class VendorLists {
  readonly #deps: VendorListDeps;
  constructor(deps: VendorListDeps) {
    this.#deps = deps;
  }

  /**
   * Returns channels with their model lists. Requests due lists, and uses the last list if a vendor does not answer. A
   * channel without a list is disabled.
   */
  async complete(channels: readonly ResolvedChannel[]): Promise<{
    readonly channels: readonly ResolvedChannel[];
    readonly lists: ReadonlyMap<string, readonly string[]>;
  }> {
    const lists = new Map<string, readonly string[]>();
    const all = await Promise.all(
      channels.map(async (channel) => {
        if (channel.configuration.models !== "*" || channel.off !== undefined) return channel;
        const { models, gone, failed } = await this.#listOf(channel);
        lists.set(channel.configuration.id, [...models, ...Object.keys(gone)].toSorted());
        return models.length > 0 ? channel : { ...channel, off: failed ?? "its vendor lists no model" };
      }),
    );
    return { channels: all, lists };
  }

  async #listOf(channel: ResolvedChannel): Promise<VendorList> {
    const { redis, log, everyMs } = this.#deps;
    const { id } = channel.configuration;
    const before = this.#parseIfCurrent(await redis.hget(listsKey, id), channel.baseUrl);
    const now = Date.now();
    if (
      before !== undefined &&
      now - before.checkedAt < (before.failed === undefined ? everyMs : Math.min(retryMs, everyMs))
    )
      return before;
    const listed = await fetchModelList(listRequestOf(channel), this.#deps.transport).catch((error: unknown) => ({
      failed: cleanText(messageOf(error)),
    }));
    const list =
      "failed" in listed
        ? { ...(before ?? emptyList), checkedAt: now, ...listed }
        : newList(
            listed.map(({ name }) => name),
            before,
            now,
          );
    if (list.failed !== undefined)
      log.warn({ channel: id, reason: list.failed }, "a vendor's models could not be listed");
    const current = { ...list, baseUrl: channel.baseUrl };
    await redis.hset(listsKey, id, JSON.stringify(current));
    await this.#updateCooldowns(id, current, before);
    return current;
  }

  #parseIfCurrent(text: string | null, baseUrl: string): VendorList | undefined {
    if (text === null) return undefined;
    try {
      const list = readList(text);
      return list.baseUrl === baseUrl ? list : undefined;
    } catch (error) {
      if (error instanceof UnknownShape) return undefined;
      throw error;
    }
  }

  /** Starts cooldowns of models that are no longer listed, and ends those of models that are listed again. */
  async #updateCooldowns(id: string, { gone, models }: VendorList, before: VendorList | undefined): Promise<void> {
    const { redis, everyMs } = this.#deps;
    const until = Date.now() + everyMs + retryMs;
    for (const [model, since] of Object.entries(gone))
      await startModelCooldown(redis, {
        channel: id,
        model,
        since,
        until,
        reason: "its vendor no longer lists it",
      });
    await endModelCooldowns(
      redis,
      id,
      Object.keys(before?.gone ?? {}).filter((model) => models.includes(model)),
    );
  }
}

const emptyList: VendorList = { checkedAt: 0, baseUrl: "", models: [], gone: {} };

function newList(models: readonly string[], before: VendorList | undefined, now: number): VendorList {
  const missing = [...(before?.models ?? []), ...Object.keys(before?.gone ?? {})].filter(
    (model) => !models.includes(model),
  );
  const gone = missing
    .map((model) => [model, before?.gone[model] ?? now] as const)
    .filter(([, since]) => now - since < goneCooldownMs);
  return { checkedAt: now, baseUrl: "", models: [...models], gone: Object.fromEntries(gone) };
}

function listRequestOf({ configuration, baseUrl, keys, proxy, headers }: ResolvedChannel): ModelListRequest {
  return { provider: configuration.provider, baseUrl, key: keys[0], proxy, headers };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
