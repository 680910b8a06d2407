import { isDeepStrictEqual } from "node:util";
import { publishedVersion, type ResolvedChannel } from "@modelgate/catalog";
import type { Configuration } from "@modelgate/contracts";
import { StartError } from "@modelgate/platform";
import { applyConfiguration, type ApplyDeps } from "./apply.ts";
import { completeConfiguration } from "./complete.ts";
import { problemLines } from "./read.ts";
import { hasKeyFiles, resolveChannels, resolveProxy, type StoredKeys } from "./resolve.ts";
import type { ConfigurationSource } from "./source.ts";

/** State of the active configuration, as operators see it. */
export interface ConfigurationStatus {
  /** Path of the file, or `books`. */
  readonly path: string;
  readonly version: string;
  readonly loadedAt: string;
  /** Problems of the current text. `version` is that of the last valid text. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

interface ResolvedConfiguration {
  readonly configuration: Configuration;
  readonly channels: readonly ResolvedChannel[];
  readonly storedKeys: StoredKeys;
}

/**
 * Time in ms after a change in which a different published version is replaced. During an upgrade, an older control may
 * publish the same change, but treat a new kind of reference as a literal value.
 */
const replaceMs = 10_000;

/** Last valid configuration of a source, with the last valid keys of its key files. */
export class ActiveConfiguration {
  readonly #deps: ApplyDeps;
  readonly #source: ConfigurationSource;
  /** Text that was last applied or refused. */
  #seen = "";
  #readAt = -Infinity;
  /** Time at which a changed text was applied. -Infinity after an invalid change. */
  #changedAt = -Infinity;
  #applied: ResolvedConfiguration | undefined;
  #status: ConfigurationStatus;
  /** Ids of channels that have lost a key. */
  #missing: readonly string[] = [];

  /** Vendors' model lists at the time when the configuration was applied, for channels with `models: "*"`. */
  #listed: CompletedModels | undefined;

  private constructor(deps: ApplyDeps, source: ConfigurationSource) {
    this.#deps = deps;
    this.#source = source;
    this.#status = { path: source.name, version: "", loadedAt: "", problems: [] };
  }

  /**
   * Opens a source. If the source must be valid, applies it, and throws StartError if it is invalid. Any other source is
   * applied by the first `refresh`.
   */
  static async open(deps: ApplyDeps, source: ConfigurationSource): Promise<ActiveConfiguration> {
    const active = new ActiveConfiguration(deps, source);
    if (!source.mustBeValid) return active;
    await active.refresh(true);
    const { problems } = active.status;
    if (problems.length > 0)
      throw new StartError(`The configuration ${source.name} is wrong:\n${problemLines(problems)}`);
    return active;
  }

  get status(): ConfigurationStatus {
    return this.#status;
  }

  get defaultProxy(): string | undefined {
    return resolveProxy(this.#applied?.configuration.proxy, this.#deps.environment).proxy;
  }

  /**
   * Reads the source if it may have changed or its poll is due, and applies a valid change. Throws if the publication
   * failed. The next call then tries again.
   */
  async refresh(isChanged: boolean): Promise<void> {
    let isReplaced = false;
    if (this.#applied !== undefined) {
      const published = await publishedVersion(this.#deps.redis);
      // Redis has lost its data, so the configuration is published again.
      if (published === undefined) await this.#apply(this.#applied, this.#status.problems);
      // If the published version differs, another control has applied a change, and the source is read now.
      else if (!isChanged && published === this.#status.version && !this.#isDue)
        return await this.#pollKeys(this.#applied);
      else isReplaced = published !== this.#status.version && performance.now() - this.#changedAt < replaceMs;
    }
    const found = await this.#source.read();
    this.#readAt = performance.now();
    const { text, configuration, problems, storedKeys = new Map<string, string>() } = found;
    if (text === this.#seen && text !== "" && this.#applied !== undefined) {
      await this.#pollKeys(this.#applied);
      if (isReplaced) await this.#apply(this.#applied, this.#status.problems);
      return;
    }
    if (configuration === undefined) this.#refuse(problems);
    else {
      const channels = await resolveChannels(configuration, this.#deps.environment, storedKeys);
      await this.#apply({ configuration, channels, storedKeys }, []);
    }
    this.#seen = text;
    this.#changedAt = configuration === undefined ? -Infinity : this.#readAt;
  }

  get #isDue(): boolean {
    return performance.now() - this.#readAt >= (this.#source.everyMs ?? 0);
  }

  #refuse(problems: ConfigurationStatus["problems"]): void {
    if (this.#applied !== undefined && JSON.stringify(problems) !== JSON.stringify(this.#status.problems))
      this.#deps.log.error(
        { problems },
        `configuration rejected, the last valid one stays active:\n${problemLines(problems)}`,
      );
    this.#status = { ...this.#status, problems };
  }

  /** Reads the key files again, because keys may be rotated. */
  async #pollKeys({ configuration, channels: before, storedKeys }: ResolvedConfiguration): Promise<void> {
    if (!hasKeyFiles(configuration)) return await this.#pollLists();
    const channels = await resolveChannels(configuration, this.#deps.environment, storedKeys);
    const missing = channels.flatMap(({ keys, configuration: { id } }, at) =>
      keys.length < (before[at]?.keys.length ?? 0) ? [id] : [],
    );
    if (missing.length > 0 && missing.join() !== this.#missing.join())
      this.#deps.log.error(
        { channels: missing },
        "a vendor key's file is missing or empty: the last valid keys stay in use",
      );
    this.#missing = missing;
    if (missing.length > 0 || isDeepStrictEqual(channels, before)) return await this.#pollLists();
    await this.#apply({ configuration, channels, storedKeys }, this.#status.problems);
  }

  /** Requests the model lists again, because they change over time. */
  async #pollLists(): Promise<void> {
    const applied = this.#applied;
    if (applied?.channels.some(({ configuration: { models } }) => models === "*") !== true) return;
    const listed = await this.#deps.vendorLists.complete(applied.channels);
    if (!isDeepStrictEqual(listed, this.#listed)) await this.#apply(applied, this.#status.problems);
  }

  async #apply(resolved: ResolvedConfiguration, problems: ConfigurationStatus["problems"]): Promise<void> {
    const { status, listed } = await applyResolved(this.#deps, this.#source.name, resolved);
    this.#status = { ...status, problems };
    this.#applied = resolved;
    this.#listed = listed;
  }
}

interface AppliedConfiguration {
  readonly status: ConfigurationStatus;
  readonly listed: CompletedModels;
}

type CompletedModels = Awaited<ReturnType<ApplyDeps["vendorLists"]["complete"]>>;

async function applyResolved(
  deps: ApplyDeps,
  path: string,
  { configuration, channels }: ResolvedConfiguration,
): Promise<AppliedConfiguration> {
  const listed = await deps.vendorLists.complete(channels);
  const complete = completeConfiguration(configuration, listed.channels, { lists: listed.lists, nowMs: Date.now() });
  const version = await applyConfiguration(deps, configuration, complete);
  return { status: { path, version, loadedAt: new Date().toISOString(), problems: [] }, listed };
}
