import { readFile } from "node:fs/promises";
import { storedVendorKeysPurpose } from "@modelgate/contracts";
import { makeCipher, type Logger, type Secrets } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";
import type { DeclaredAccounts } from "./declare-accounts.ts";
import { withStoredKeys, withoutAccounts, type StoredVendorKey } from "./documents.ts";
import { parseConfiguration, problemLines, type FoundConfiguration } from "./read.ts";
import type { StoredKeys } from "./resolve.ts";
import type { ConfigurationSource } from "./source.ts";

/** Version of the configuration, as the ledger returns it. */
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
  /** File for the first version in the books; undefined for an empty configuration. */
  readonly seedPath: string | undefined;
}

interface NewestVersion {
  readonly configuration: ConfigurationVersion | null;
  readonly keys: readonly StoredVendorKey[];
}

const emptyConfiguration = `groups:\n  default:\n    models: ["*"]\nmodels: {}\nchannels: []\n`;
/** Interval in ms of polls that find versions without an announcement, for example after a restoration of the books. */
const fallbackPollMs = 30_000;
const firstActor = "first start";

/** Configuration in the books. */
export class ConfigurationBooks {
  readonly #deps: BooksSourceDeps;
  constructor(deps: BooksSourceDeps) {
    this.#deps = deps;
  }

  async find(version?: number): Promise<ConfigurationVersion | undefined> {
    return (await this.#read(version)).configuration ?? undefined;
  }

  /** Returns the vendor keys of a version, or of the newest one. Omits keys that cannot be decrypted. */
  async readStoredKeys(version?: number): Promise<StoredKeys> {
    return this.#decryptKeys((await this.#read(version)).keys);
  }

  /** Returns versions without their documents, newest first. */
  history(limit: number): Promise<readonly Omit<ConfigurationVersion, "document">[]> {
    return this.#deps.ledger.read(`/configurations?limit=${limit}`);
  }

  /** Saves a new version. Returns undefined if another version was saved meanwhile. */
  async save(
    request: { readonly text: string; readonly note: string; readonly basedOn: number },
    actor: string,
  ): Promise<ConfigurationVersion | undefined> {
    const cipher = makeCipher(this.#deps.secrets, storedVendorKeysPurpose);
    const { document, keys } = withStoredKeys(withoutAccounts(request.text), (key, id) => cipher.encrypt(key, id));
    const body = { document, keys, note: request.note, basedOn: request.basedOn };
    const { saved } = await this.#deps.ledger.write<{ readonly saved: ConfigurationVersion | null }>(
      "/configurations",
      body,
      actor,
    );
    return saved ?? undefined;
  }

  /** Returns the source of the newest version. The first start creates it from the seed file. */
  source(declaredAccounts: Pick<DeclaredAccounts, "declare">): ConfigurationSource {
    let last: FoundConfiguration | undefined;
    /** Parses a version. Most polls find the same one, so the result is cached. */
    const parseVersion = (version: number, document: string): FoundConfiguration => {
      const text = `# ${version}\n${document}`;
      return (last = last?.text === text ? last : { text, ...parseConfiguration(document) });
    };
    return {
      name: "books",
      everyMs: fallbackPollMs,
      mustBeValid: false,
      read: async () => {
        let newest = await this.#read();
        if (newest.configuration === null) {
          await this.#seed(declaredAccounts);
          newest = await this.#read();
        }
        const { configuration, keys } = newest;
        const found = parseVersion(configuration?.version ?? 0, configuration?.document ?? emptyConfiguration);
        return { ...found, storedKeys: this.#decryptKeys(keys) };
      },
    };
  }

  async #read(version?: number): Promise<NewestVersion> {
    const query = version === undefined ? "" : `?version=${version}`;
    return this.#deps.ledger.read(`/configurations/newest${query}`);
  }

  /** Creates the accounts of the first version, and then saves the version. An interrupted start thus repeats both. */
  async #seed(declaredAccounts: Pick<DeclaredAccounts, "declare">): Promise<void> {
    const { seedPath, log } = this.#deps;
    const text = seedPath === undefined ? emptyConfiguration : await readFile(seedPath, "utf8");
    const { configuration, problems = [] } = parseConfiguration(text);
    if (configuration === undefined) throw new Error(`${seedPath ?? ""} is wrong:\n${problemLines(problems)}`);
    await declaredAccounts.declare(configuration);
    const saved = await this.save({ text, note: "", basedOn: 0 }, firstActor);
    if (saved !== undefined) log.info({ seed: seedPath }, "configuration written into the books");
  }

  #decryptKeys(keys: readonly StoredVendorKey[]): StoredKeys {
    const cipher = makeCipher(this.#deps.secrets, storedVendorKeysPurpose);
    return new Map(
      keys.flatMap(({ id, sealed }) => {
        try {
          return [[id, cipher.decrypt(sealed, id)] as const];
        } catch {
          return []; // encrypted with a secret that is no longer accepted, so the channel reports a missing key
        }
      }),
    );
  }
}
