import { readFile } from "node:fs/promises";
import { openSealer, type Logger, type Secrets } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import type { DeclaredAccounts } from "./declare-accounts.ts";
import { withKeptKeys, withoutAccounts, type SealedVendorKey } from "./documents.ts";
import { parseConfiguration, problemLines, type FoundConfiguration } from "./read.ts";
import type { KeptKeys } from "./resolve.ts";
import type { ConfigurationSource } from "./source.ts";

/** A configuration version from the ledger. */
export interface ConfigurationVersion {
  readonly version: number;
  readonly time: string;
  readonly actor: string;
  readonly note: string;
  readonly document: string;
}

/** Dependencies for reading and writing the configuration in the books. */
export interface BooksSourceDeps {
  readonly ledger: Pick<Ledger, "read" | "write">;
  readonly secrets: Secrets;
  readonly log: Logger;
  /** YAML file that the books start with; absent: one group with all models, and no models. */
  readonly seedPath: string | undefined;
}

interface NewestVersion {
  readonly configuration: ConfigurationVersion | null;
  readonly keys: readonly SealedVendorKey[];
}

/** Purpose for which vendor keys in the books are encrypted. */
const purpose = "modelgate kept vendor keys";
const emptyConfiguration = `groups:\n  default:\n    models: ["*"]\nmodels: {}\nchannels: []\n`;
/** Poll interval, in ms, that finds a version whose control died before publishing it, and restored books. */
const fallbackPollMs = 30_000;
/** Author of the first version. */
const firstActor = "first start";

/** The configuration stored in the books. */
export class ConfigurationBooks {
  readonly #deps: BooksSourceDeps;
  constructor(deps: BooksSourceDeps) {
    this.#deps = deps;
  }

  /** Returns a version, or the newest; undefined where there is none. */
  async find(version?: number): Promise<ConfigurationVersion | undefined> {
    return (await this.#read(version)).configuration ?? undefined;
  }

  /** Returns the decrypted vendor keys of a version, or of the newest. */
  async keptKeys(version?: number): Promise<KeptKeys> {
    return this.#opened((await this.#read(version)).keys);
  }

  /** Returns versions without their documents, newest first. */
  history(limit: number): Promise<readonly Omit<ConfigurationVersion, "document">[]> {
    return this.#deps.ledger.read(`/configurations?limit=${limit}`);
  }

  /**
   * Writes a new version with its vendor keys encrypted. Returns undefined where another version was written meanwhile.
   */
  async save(
    wish: { readonly text: string; readonly note: string; readonly basedOn: number },
    actor: string,
  ): Promise<ConfigurationVersion | undefined> {
    const sealer = openSealer(this.#deps.secrets, purpose);
    const { document, keys } = withKeptKeys(withoutAccounts(wish.text), (key, id) => sealer.seal(key, id));
    const body = { document, keys, note: wish.note, basedOn: wish.basedOn };
    const { saved } = await this.#deps.ledger.write<{ readonly saved: ConfigurationVersion | null }>(
      "/configurations",
      body,
      actor,
    );
    return saved ?? undefined;
  }

  /** Returns the source that control applies: the newest version, and at the first start the seed. */
  source(declared: Pick<DeclaredAccounts, "declare">): ConfigurationSource {
    let last: FoundConfiguration | undefined;
    /** Parses a version unless it was parsed last time, which is the case for most polls. */
    const parsed = (version: number, document: string): FoundConfiguration => {
      const text = `# ${version}\n${document}`;
      return (last = last?.text === text ? last : { text, ...parseConfiguration(document) });
    };
    return {
      name: "books",
      everyMs: fallbackPollMs,
      mustBeGood: false,
      read: async () => {
        let newest = await this.#read();
        if (newest.configuration === null) {
          await this.#seed(declared);
          newest = await this.#read();
        }
        const { configuration, keys } = newest;
        const found = parsed(configuration?.version ?? 0, configuration?.document ?? emptyConfiguration);
        return { ...found, kept: this.#opened(keys) };
      },
    };
  }

  async #read(version?: number): Promise<NewestVersion> {
    const query = version === undefined ? "" : `?version=${version}`;
    return this.#deps.ledger.read(`/configurations/newest${query}`);
  }

  /** Creates the seed's accounts before its configuration, so that an interrupted start is repeated. */
  async #seed(declared: Pick<DeclaredAccounts, "declare">): Promise<void> {
    const { seedPath, log } = this.#deps;
    const text = seedPath === undefined ? emptyConfiguration : await readFile(seedPath, "utf8");
    const { configuration, problems = [] } = parseConfiguration(text);
    if (configuration === undefined) throw new Error(`${seedPath ?? ""} is wrong:\n${problemLines(problems)}`);
    await declared.declare(configuration);
    const saved = await this.save({ text, note: "", basedOn: 0 }, firstActor);
    if (saved !== undefined) log.info({ seed: seedPath }, "configuration written into the books");
  }

  #opened(keys: readonly SealedVendorKey[]): KeptKeys {
    const sealer = openSealer(this.#deps.secrets, purpose);
    return new Map(
      keys.flatMap(({ id, sealed }) => {
        try {
          return [[id, sealer.open(sealed, id)] as const];
        } catch {
          return []; // encrypted under a secret that is no longer accepted: the channel reports its key as missing
        }
      }),
    );
  }
}
