import { readFile } from "node:fs/promises";
import { Failure, type Configuration, type ConfigurationProblem } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { ConfigurationBooks, ConfigurationVersion } from "../configuration/books-source.ts";
import { differenceOf } from "../configuration/difference.ts";
import {
  applyEdits,
  fragmentOf,
  partsOf,
  withHiddenSecrets,
  withHiddenValues,
  type Edit,
} from "../configuration/documents.ts";
import type { ConfigurationFollower } from "../configuration/follow.ts";
import { parseConfiguration } from "../configuration/read.ts";
import { resolveChannels, type StoredKeys, type EnvVariables } from "../configuration/resolve.ts";
import { hiddenProblems, sourceProblems, type AllowedSources } from "../configuration/sources.ts";
import { completeConfiguration } from "../configuration/complete.ts";
import { warningsOf } from "../configuration/warnings.ts";
import { fields } from "./fields.ts";

/** Dependencies of the configuration routes. */
export interface ConfigurationRouteDeps {
  readonly follower: Pick<ConfigurationFollower, "declare" | "refresh" | "status">;
  /** Path of the configuration file; undefined if the configuration is in the books. */
  readonly path: string | undefined;
  readonly books: Pick<ConfigurationBooks, "find" | "history" | "readStoredKeys" | "save">;
  /** Sources from which a changed configuration may read keys and addresses. */
  readonly allowed: AllowedSources;
  readonly environment: EnvVariables;
}

interface ChangeResult {
  /** Number of the new version; null if nothing was saved to the books. */
  readonly version: number | null;
  readonly problems: readonly ConfigurationProblem[];
  readonly warnings: readonly ConfigurationProblem[];
  /** YAML that an operator copies into the configuration file; null if the configuration is in the books. */
  readonly copy: string | null;
}

const pageSize = 200;

/** Routes that show, check, change, compare and restore configurations. */
export function configurationRoutes(deps: ConfigurationRouteDeps): OperatorRoutes {
  const { path, books } = deps;
  const readBaseVersion = async (): Promise<BaseVersion> =>
    path === undefined
      ? { ...(await newestOf(books)), storedKeys: await books.readStoredKeys() }
      : { version: 0, document: await readFile(path, "utf8").catch(() => ""), storedKeys: new Map() };
  const change = (request: Change): Promise<ChangeResult> => makeChange(deps, request);
  return {
    "GET /configuration": async () => configurationView(deps),
    "GET /configuration/parts": async () => {
      if (path !== undefined) return { source: "file", version: null, ...partsOf(await readShownFile(path)) };
      const { document = "", version = null } = (await books.find()) ?? {};
      return { source: "books", version, ...partsOf(document) };
    },
    "POST /configuration": async ({ body, actor }) =>
      change({
        text: fields.longText(body, "document"),
        copy: undefined,
        before: await readBaseVersion(),
        ...settingsIn(body),
        actor,
      }),
    "POST /configuration/edits": async ({ body, actor }) => {
      const edits = editsIn(body);
      const before = await readBaseVersion();
      return change({
        text: applyEdits(before.document, edits),
        copy: fragmentOf(edits),
        before,
        ...settingsIn(body),
        actor,
      });
    },
    "GET /configuration/versions": async () => (path === undefined ? books.history(pageSize) : []),
    "GET /configuration/versions/{version}": async ({ params }) => {
      const found = await versionOf(deps, params["version"]);
      const before = found.version > 1 ? await books.find(found.version - 1) : undefined;
      const document = withHiddenSecrets(found.document);
      return {
        ...found,
        document,
        difference: differenceOf(withHiddenSecrets(before?.document ?? ""), document),
        back: differenceOf(withHiddenSecrets((await newestOf(books)).document), document),
      };
    },
    "POST /configuration/versions/{version}/restore": async ({ params, actor }) => {
      const { document, version } = await versionOf(deps, params["version"]);
      const newest = await newestOf(books);
      const note = `back to version ${version}`;
      // The sources of the restored version were allowed when it was saved.
      const storedKeys = new Map([...(await books.readStoredKeys()), ...(await books.readStoredKeys(version))]);
      const before = { ...newest, storedKeys };
      return change({ text: document, copy: undefined, before, trusted: document, note, isCheck: false, actor });
    },
  };
}

/** Returns the configuration without secrets, and the state of its last publication. */
async function configurationView({ follower, path, books }: ConfigurationRouteDeps) {
  const { problems, version: published, loadedAt } = follower.status;
  if (path !== undefined) {
    const document = withHiddenSecrets(await readShownFile(path));
    return { source: "file", path, version: null, document, problems, published, loadedAt };
  }
  const { document = "", ...newest } = (await books.find()) ?? {};
  const shown = { document: withHiddenSecrets(document), problems, published, loadedAt };
  return { source: "books", path: null, version: null, ...newest, ...shown };
}

/** Reads the configuration file. An invalid one has no values, because a secret may be at a wrong place. */
async function readShownFile(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return parseConfiguration(text).configuration === undefined ? withHiddenValues(text) : text;
}

interface ChangeSettings {
  readonly note: string;
  readonly basedOn?: number | undefined;
  readonly isCheck: boolean;
}

type BaseVersion = Pick<ConfigurationVersion, "version" | "document"> & { readonly storedKeys: StoredKeys };

interface Change extends ChangeSettings {
  readonly before: BaseVersion;
  /** Document whose sources are not checked again. Default: that of `before`. */
  readonly trusted?: string;
  readonly text: string;
  /** Text to copy into the configuration file; if absent, the complete document. */
  readonly copy: string | undefined;
  readonly actor: string;
}

async function makeChange(
  { follower, path, books, environment, allowed }: ConfigurationRouteDeps,
  { text, copy, before, trusted = before.document, note, basedOn = before.version, isCheck, actor }: Change,
): Promise<ChangeResult> {
  const { configuration, problems = [] } = parseConfiguration(text);
  const check = { ...allowed, environment, before: parseConfiguration(trusted).configuration };
  const refused = [...problems, ...(configuration === undefined ? [] : sourceProblems(configuration, check))];
  // A file keeps its secrets, so the text to copy may contain placeholders.
  if (configuration !== undefined && path === undefined) refused.push(...hiddenProblems(configuration));
  if (configuration === undefined || refused.length > 0)
    return { version: null, problems: refused, warnings: [], copy: null };
  const warnings = await newWarnings(configuration, { environment, before, isCheck });
  const unsaved = { version: null, problems: [], warnings };
  if (path !== undefined) return { ...unsaved, copy: copy ?? text };
  if (isCheck) return { ...unsaved, copy: null };
  await follower.declare(configuration);
  const saved = await books.save({ text, note, basedOn }, actor);
  if (saved === undefined)
    throw new Failure("invalid_value", "Someone else has changed the configuration in the meantime. Load it again.", {
      param: "basedOn",
      status: 409,
    });
  await follower.refresh();
  return { version: saved.version, problems: [], warnings, copy: null };
}

/** Returns warnings about probable mistakes. A change that will be saved gets only new warnings. */
async function newWarnings(
  configuration: Configuration,
  { environment, before, isCheck }: Pick<Change, "before" | "isCheck"> & Pick<ConfigurationRouteDeps, "environment">,
): Promise<readonly ConfigurationProblem[]> {
  const warningsIn = async (each: Configuration): Promise<readonly ConfigurationProblem[]> => {
    const channels = await resolveChannels(each, environment, before.storedKeys);
    return warningsOf(each, completeConfiguration(each, channels, { lists: new Map(), nowMs: Date.now() }));
  };
  const { configuration: last } = parseConfiguration(before.document);
  const earlierWarnings = isCheck || last === undefined ? [] : await warningsIn(last);
  const earlierTexts = new Set(earlierWarnings.map(({ path, message }) => `${path} ${message}`));
  return (await warningsIn(configuration)).filter(({ path, message }) => !earlierTexts.has(`${path} ${message}`));
}

function settingsIn(body: unknown): ChangeSettings {
  return {
    note: fields.optionalText(body, "note") ?? "",
    basedOn: fields.optionalInteger(body, "basedOn"),
    isCheck: fields.optionalBoolean(body, "check") ?? false,
  };
}

const sections = ["groups", "models", "channels"] as const;

function editsIn(body: unknown): readonly Edit[] {
  return fields.list(body, "edits").map((edit, at): Edit => {
    const name = (part: string): string => `edits[${at}].${part}`;
    const section = fields.optionalWord(edit, "section", sections);
    if (section === undefined)
      throw new Failure("missing_required_parameter", `${name("section")} is missing.`, { param: name("section") });
    const value = fields.value(edit, "value");
    if (value === undefined)
      throw new Failure("missing_required_parameter", `${name("value")} is missing.`, { param: name("value") });
    return { path: [section, fields.text(edit, "name")], value };
  });
}

async function newestOf(books: Pick<ConfigurationBooks, "find">): Promise<ConfigurationVersion> {
  const newest = await books.find();
  if (newest === undefined)
    throw new Failure("server_overloaded", "The books have no configuration yet; try again shortly.");
  return newest;
}

async function versionOf(
  { path, books }: ConfigurationRouteDeps,
  written: string | undefined,
): Promise<ConfigurationVersion> {
  const found = path === undefined && /^\d{1,9}$/.test(written ?? "") ? await books.find(Number(written)) : undefined;
  if (found === undefined)
    throw new Failure("unknown_url", `There is no version ${JSON.stringify((written ?? "").slice(0, 20))}.`);
  return found;
}
