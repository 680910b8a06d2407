import { randomBytes } from "node:crypto";
import { Failure } from "@modelgate/contracts";
import { field } from "../field.ts";
import { isAlias, isMap, isPair, isScalar, isSeq, parseDocument, visit, type Document, type Scalar } from "yaml";

/** A vendor key, or the value of a channel's header, as the books store it: encrypted. */
export interface StoredVendorKey {
  readonly id: string;
  readonly sealed: string;
}

/** Change of one part of a configuration, for example `["models", "gpt-x"]`. Channels are named by id. */
export interface Edit {
  readonly path: readonly [section: "groups" | "models" | "channels", name: string];
  /** New value. Null removes the part. */
  readonly value: unknown;
}

/** Groups, models and channels of a document. */
export interface ConfigurationParts {
  readonly groups: object;
  readonly models: object;
  readonly channels: readonly unknown[];
}

/** Text that is shown instead of a secret. */
export const hiddenSecret = "(hidden)";

const yamlFormat = { lineWidth: 120, flowCollectionPadding: true } as const;

/**
 * Applies edits to a document, and keeps its comments and order. A later check reports invalid results. Throws Failure
 * if an edited part holds an anchor that another part uses.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const document = parseDocument(text);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents))) throwNotEditable();
  for (const { path, value } of edits) edit(document, path, value);
  try {
    return document.toString(yamlFormat);
  } catch (cause) {
    const message = "Another part of the document uses an anchor of the edited part: edit the whole document.";
    throw new Failure("invalid_value", message, { param: "edits", cause });
  }
}

function edit(document: Document, [section, name]: Edit["path"], value: unknown): void {
  const sectionNode = document.get(section);
  // A filled collection uses separate lines instead of {} or [].
  if ((isMap(sectionNode) || isSeq(sectionNode)) && sectionNode.items.length === 0) sectionNode.flow = false;
  if (section !== "channels") return editMap(document, [section, name], value);
  const channels = document.get("channels");
  if (!isSeq(channels)) return void (value !== null && document.set("channels", document.createNode([value])));
  const index = channels.items.findIndex((item) => isMap(item) && item.get("id") === name);
  if (value === null) {
    if (index >= 0) channels.delete(index);
  } else if (index >= 0) {
    const channel = document.createNode(value);
    restoreHidden(document, channel, channels.items[index]);
    channels.set(index, channel);
  } else channels.add(document.createNode(value));
}

function editMap(document: Document, [section, name]: Edit["path"], value: unknown): void {
  const node = document.get(section) ?? undefined;
  if (node === undefined) return void (value !== null && document.set(section, document.createNode({ [name]: value })));
  if (!isMap(node)) throwNotEditable();
  // A name such as 4 is a number in YAML.
  const key = node.items.find((pair) => String(pair.key) === name)?.key ?? name;
  if (value === null) node.delete(key);
  else node.set(key, document.createNode(value));
}

function throwNotEditable(): never {
  const message = "The document is not valid YAML, or a part of it is not a map: edit the whole document.";
  throw new Failure("invalid_value", message, { param: "edits" });
}

/**
 * Replaces hidden keys of a channel by the previous keys at the same positions, and hidden headers by the previous
 * headers of the same names.
 */
function restoreHidden(document: Document, channel: unknown, before: unknown): void {
  const earlier = new Map([...secretsOf(document, before)].map(([path, { value }]) => [path, value]));
  for (const [path, secret] of secretsOf(document, channel))
    if (secret.value === hiddenSecret) secret.value = earlier.get(path) ?? hiddenSecret;
}

/** Returns edits as YAML to copy into a file. Removals become comments. */
export function fragmentOf(edits: readonly Edit[]): string {
  const changed = edits.filter(({ value }) => value !== null);
  const removed = edits.filter(({ value }) => value === null).map(({ path }) => `# remove ${path.join(".")}\n`);
  return removed.join("") + (changed.length === 0 ? "" : applyEdits("", changed));
}

/** Returns the groups, models and channels of a document, without secrets. */
export function partsOf(text: string): ConfigurationParts {
  const found: unknown = parseDocument(withHiddenSecrets(text)).toJS({ maxAliasCount: 100 });
  const [groups, models, channels] = (["groups", "models", "channels"] as const).map((name) => field(found, name));
  return {
    groups: isObject(groups) ? groups : {},
    models: isObject(models) ? models : {},
    channels: Array.isArray(channels) ? channels : [],
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a document without its accounts, which are stored elsewhere. */
export function withoutAccounts(text: string): string {
  const document = parseDocument(text);
  if (!document.has("accounts")) return text;
  document.delete("accounts");
  return document.toString(yamlFormat);
}

/**
 * Encrypts literal vendor keys and header values of a document, and replaces them by ids. Throws Failure for a hidden
 * secret, because its value is unknown.
 */
export function withStoredKeys(
  text: string,
  encrypt: (key: string, id: string) => string,
): { readonly document: string; readonly keys: readonly StoredVendorKey[] } {
  const keys: StoredVendorKey[] = [];
  const document = parseDocument(text);
  for (const scalar of literalSecrets(document)) {
    if (scalar.value === hiddenSecret)
      throw new Failure("invalid_value", `Enter the key or header ${hiddenSecret} again.`, { param: "channels" });
    const id = randomBytes(9).toString("base64url");
    keys.push({ id, sealed: encrypt(scalar.value, id) });
    scalar.value = `kept:${id}`;
  }
  return { document: keys.length === 0 ? text : document.toString(yamlFormat), keys };
}

/** Returns a document with hidden keys and header values; "" for invalid YAML. */
export function withHiddenSecrets(text: string): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return "";
  const secrets = [...literalSecrets(document), ...clientKeys(document)];
  for (const scalar of secrets) scalar.value = hiddenSecret;
  return secrets.length === 0 ? text : document.toString(yamlFormat);
}

/**
 * Returns an invalid document of the configuration file without its values. A secret may be at any place in it. Groups,
 * models, and the ids and providers of channels are shown.
 */
export function withHiddenValues(text: string): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return "";
  visit(document, {
    Pair: (_, { key }, { length }) =>
      // The parents of a member of the document are the document and its map.
      length === 2 && ["groups", "models"].includes(String(key)) ? visit.SKIP : undefined,
    Scalar(position, scalar, parents) {
      const pair = parents.at(-1);
      const isShown =
        position === "key"
          ? isPair(pair) && (/^[A-Za-z]+$/.test(String(scalar.value)) || !isNull(pair.value))
          : isNull(scalar) || (isPair(pair) && ["id", "provider"].includes(String(pair.key)));
      if (!isShown) scalar.value = hiddenSecret;
    },
  });
  return document.toString(yamlFormat);
}

type Text = Scalar<string>;

/** Yields literal vendor keys and header values, not references. */
function* literalSecrets(document: Document): Iterable<Text> {
  for (const channel of itemsOf(document.get("channels")))
    for (const [path, secret] of secretsOf(document, channel)) {
      // Only keys can be read from files.
      const reference = path.startsWith("keys") ? /^(?:env|file|kept):/ : /^(?:env|kept):/;
      if (!reference.test(secret.value)) yield secret;
    }
}

/** Yields the keys and header values of a channel with their paths. */
function* secretsOf(document: Document, node: unknown): Iterable<readonly [path: string, secret: Text]> {
  const targetOf = (each: unknown): unknown => (isAlias(each) ? each.resolve(document) : each);
  const channel = targetOf(node);
  if (!isMap(channel)) return;
  for (const [index, item] of itemsOf(targetOf(channel.get("keys"))).entries()) {
    const key = targetOf(item);
    if (isText(key)) yield [`keys[${index}]`, key];
  }
  const headers = targetOf(channel.get("headers"));
  for (const { key, value: item } of isMap(headers) ? headers.items : []) {
    const value = targetOf(item);
    if (isText(value)) yield [`headers.${String(key).toLowerCase()}`, value];
  }
}

function* clientKeys(document: Document): Iterable<Text> {
  const accounts = document.get("accounts");
  for (const { value: account } of isMap(accounts) ? accounts.items : [])
    for (const token of itemsOf(isMap(account) ? account.get("tokens") : undefined)) {
      const key = isMap(token) ? token.get("key", true) : undefined;
      if (isText(key)) yield key;
    }
}

function itemsOf(value: unknown): readonly unknown[] {
  return isSeq(value) ? value.items : [];
}

function isNull(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null);
}

function isText(value: unknown): value is Text {
  return isScalar(value) && typeof value.value === "string";
}
