import { isDeepStrictEqual } from "node:util";
import { publishedVersion, type ResolvedChannel } from "@modelgate/catalog";
import type { Configuration } from "@modelgate/contracts";
import { StartError } from "@modelgate/platform";
import { applyConfiguration, type ApplyDeps } from "./apply.ts";
import { completeConfiguration } from "./complete.ts";
import { problemLines, readConfigurationFile } from "./read.ts";
import { resolveChannels } from "./resolve.ts";

/** What operators see of the configuration in force. */
export interface ConfigurationStatus {
  readonly path: string;
  readonly version: string;
  readonly loadedAt: string;
  /** What is wrong with the file as it stands now; the version above is the last good one. */
  readonly problems: readonly { readonly path: string; readonly say: string }[];
}

/** A configuration, with what its channels' addresses and keys are. */
interface Resolved {
  readonly configuration: Configuration;
  readonly channels: readonly ResolvedChannel[];
}

/** The configuration in force: the last good one of a file, with the last good keys of the files that it names. */
export class ConfigurationInForce {
  readonly #deps: ApplyDeps;
  readonly #path: string;
  /** The file's text when it was last taken up or refused. */
  #seen: string;
  #applied: Resolved;
  #status: ConfigurationStatus;
  /** Channels that have lost a key. */
  #missing: readonly string[] = [];

  /** What vendors listed when that was applied. */
  #listed: Listed;

  private constructor(deps: ApplyDeps, seen: string, applied: Resolved, how: Applied) {
    const { status, listed } = how;
    this.#deps = deps;
    this.#listed = listed;
    this.#path = status.path;
    this.#seen = seen;
    this.#applied = applied;
    this.#status = status;
  }

  /** Applies a file. Throws StartError where it is wrong. */
  static async open(deps: ApplyDeps, path: string): Promise<ConfigurationInForce> {
    const { text, configuration, problems } = await readConfigurationFile(path);
    if (configuration === undefined)
      throw new StartError(`The configuration ${path} is wrong:\n${problemLines(problems)}`);
    const resolved = { configuration, channels: await resolveChannels(configuration, deps.names) };
    return new ConfigurationInForce(deps, text, resolved, await applied(deps, path, resolved));
  }

  get status(): ConfigurationStatus {
    return this.#status;
  }

  /**
   * Looks at the files: a good change takes effect, a wrong one is logged with the path of each wrong field. Throws where
   * a change could not be published; it is found again at the next look.
   */
  async look(): Promise<void> {
    const { text, configuration, problems } = await readConfigurationFile(this.#path);
    // A Redis that has lost everything has lost the configuration too.
    const isLost = (await publishedVersion(this.#deps.redis)) === undefined;
    if (isLost) await this.#apply(this.#applied, this.#status.problems);
    if (text === this.#seen && text !== "") return await this.#lookAtKeys();
    if (configuration === undefined) {
      if (JSON.stringify(problems) !== JSON.stringify(this.#status.problems))
        this.#deps.log.error(
          { problems },
          `configuration refused, the last good one stays:\n${problemLines(problems)}`,
        );
      this.#status = { ...this.#status, problems };
    } else await this.#apply({ configuration, channels: await resolveChannels(configuration, this.#deps.names) }, []);
    this.#seen = text;
  }

  /** Keys are rotated in their files, which the configuration only names. */
  async #lookAtKeys(): Promise<void> {
    const { configuration, channels: before } = this.#applied;
    const channels = await resolveChannels(configuration, this.#deps.names);
    const missing = channels.flatMap(({ keys, configuration: { id } }, at) =>
      keys.length < (before[at]?.keys.length ?? 0) ? [id] : [],
    );
    if (missing.length > 0 && missing.join() !== this.#missing.join())
      this.#deps.log.error({ channels: missing }, "a file of a vendor's key is gone or empty: the last good keys stay");
    this.#missing = missing;
    if (missing.length > 0 || isDeepStrictEqual(channels, before)) return await this.#lookAtLists();
    await this.#apply({ configuration, channels }, this.#status.problems);
  }

  /** Vendors list other models from time to time. */
  async #lookAtLists(): Promise<void> {
    if (!this.#applied.channels.some(({ configuration: { models } }) => models === "*")) return;
    const listed = await this.#deps.lists.complete(this.#applied.channels);
    if (!isDeepStrictEqual(listed, this.#listed)) await this.#apply(this.#applied, this.#status.problems);
  }

  async #apply(resolved: Resolved, problems: ConfigurationStatus["problems"]): Promise<void> {
    const { status, listed } = await applied(this.#deps, this.#path, resolved);
    this.#status = { ...status, problems };
    this.#applied = resolved;
    this.#listed = listed;
  }
}

/** What became of applying a configuration. */
interface Applied {
  readonly status: ConfigurationStatus;
  /** What vendors listed for it. */
  readonly listed: Listed;
}

type Listed = Awaited<ReturnType<ApplyDeps["lists"]["complete"]>>;

async function applied(deps: ApplyDeps, path: string, { configuration, channels }: Resolved): Promise<Applied> {
  const listed = await deps.lists.complete(channels);
  const complete = completeConfiguration(configuration, listed.channels, { lists: listed.lists, nowMs: Date.now() });
  const version = await applyConfiguration(deps, configuration, complete);
  return { status: { path, version, loadedAt: new Date().toISOString(), problems: [] }, listed };
}
