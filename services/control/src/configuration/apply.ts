import { createAccount, putToken } from "@modelgate/accounts";
import { publishConfiguration } from "@modelgate/catalog";
import { parseUsd, type Configuration } from "@modelgate/contracts";
import type { Logger, Redis } from "@modelgate/platform";
import { resolveChannels } from "./resolve.ts";
import { warningsOf } from "./warnings.ts";

export interface ApplyDeps {
  /** Variables that the configuration may name. */
  readonly names: Readonly<Record<string, string | undefined>>;
  readonly redis: Redis;
  readonly secret: string;
  readonly log: Logger;
}

/** Publishes a configuration and creates the accounts and tokens that are not there yet; the published version. */
export async function applyConfiguration(
  { redis, secret, log, names }: ApplyDeps,
  configuration: Configuration,
): Promise<string> {
  const channels = await resolveChannels(configuration, names);
  for (const { path, say } of warningsOf(configuration, channels)) log.info({ path }, `configuration: ${path} ${say}`);
  await createAccounts(redis, log, configuration);
  const version = await publishConfiguration(redis, configuration, channels, secret);
  log.info(
    { version, channels: channels.length, models: Object.keys(configuration.models).length },
    "configuration published",
  );
  return version;
}

async function createAccounts(redis: Redis, log: Logger, { accounts = {} }: Configuration): Promise<void> {
  for (const [id, { balance, tokens = [] }] of Object.entries(accounts)) {
    const made = await createAccount(redis, { id, balance: parseUsd(balance) });
    if (made === "created") log.info({ account: id }, "account created");
    for (const { key, ...wish } of tokens) {
      const { created, token } = await putToken(redis, key, { accountId: id, ...wish });
      if (created) log.info({ account: id, token: token.id }, "token created");
    }
  }
}
