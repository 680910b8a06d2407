import { priceVersionOf, priceVersionsKey, publishConfiguration, publishedVersion } from "@modelgate/catalog";
import { endKeyRefusals } from "@modelgate/channels";
import { compilePrice, allConfiguredPrices, type Configuration } from "@modelgate/contracts";
import type { Logger, Redis, Secrets } from "@modelgate/platform";
import type { CompleteConfiguration } from "./complete.ts";
import type { DeclaredAccounts } from "./declare-accounts.ts";
import type { VendorLists } from "./vendor-lists.ts";
import { warningsOf } from "./warnings.ts";

/** Dependencies for applying a configuration. */
export interface ApplyDeps {
  /** Environment variables that the configuration may reference. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly redis: Redis;
  readonly declared: Pick<DeclaredAccounts, "declare">;
  readonly vendorLists: Pick<VendorLists, "complete">;
  readonly secrets: Secrets;
  readonly log: Logger;
}

/** Publishes a configuration, and creates its missing accounts and API keys. Returns the published version. */
export async function applyConfiguration(
  { redis, declared, secrets, log }: Omit<ApplyDeps, "vendorLists">,
  configuration: Configuration,
  { groups, models, channels }: CompleteConfiguration,
): Promise<string> {
  for (const { path, message } of warningsOf(configuration, { models, channels }))
    log.info({ path }, `configuration: ${path} ${message}`);
  await storePriceVersions(redis, models);
  const before = await publishedVersion(redis);
  const version = await publishConfiguration(redis, { groups, models }, channels, secrets);
  // A refused key may be valid now, so it is tried again.
  if (version !== before) await endKeyRefusals(redis);
  log.info({ version, channels: channels.length, models: Object.keys(models).length }, "configuration published");
  await declared.declare(configuration);
  return version;
}

/** Stores prices by version permanently, because usage events name only the version. */
async function storePriceVersions(redis: Redis, models: CompleteConfiguration["models"]): Promise<void> {
  const publishedAt = new Date().toISOString();
  // Each command is awaited, because a pipeline reports errors as ordinary results.
  await Promise.all(
    Object.values(models)
      .flatMap(({ price = {} }) => allConfiguredPrices(price))
      .map((price) =>
        redis.hsetnx(priceVersionsKey, priceVersionOf(compilePrice(price)), JSON.stringify({ price, publishedAt })),
      ),
  );
}
