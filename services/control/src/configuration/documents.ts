import { randomBytes } from "node:crypto";
import { field } from "../field.ts";
import { isMap, isScalar, isSeq, parseDocument, type Document, type Scalar } from "yaml";

/** Encrypted vendor key in the books. */
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

/** Text that is shown instead of a key. */
const hiddenKey = "(hidden)";

const yamlFormat = { lineWidth: 120, flowCollectionPadding: true } as const;

/**
 * Applies edits to a document, and keeps its comments and order. Never throws; a later check reports invalid results.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const document = parseDocument(text);
  for (const { path, value } of edits) edit(document, path, value);
  return document.toString(yamlFormat);
}

function edit(document: Document, [section, name]: Edit["path"], value: unknown): void {
  const sectionNode = document.get(section);
  // A filled collection uses separate lines instead of {} or [].
  if ((isMap(sectionNode) || isSeq(sectionNode)) && sectionNode.items.length === 0) sectionNode.flow = false;
  if (section !== "channels") {
    if (value === null) document.deleteIn([section, name]);
    else document.setIn([section, name], document.createNode(value));
    return;
  }
  const channels = document.get("channels");
  if (!isSeq(channels)) return void (value !== null && document.set("channels", document.createNode([value])));
  const index = channels.items.findIndex((item) => isMap(item) && item.get("id") === name);
  if (value === null) {
    if (index >= 0) channels.delete(index);
  } else if (index >= 0) channels.set(index, withPreviousKeys(document.createNode(value), channels.items[index]));
  else channels.add(document.createNode(value));
}

/** Returns a channel whose hidden keys are replaced by the previous keys at the same positions. */
function withPreviousKeys(channel: unknown, before: unknown): unknown {
  const earlierKeys = [...itemsOf(isMap(before) ? before.get("keys") : undefined)]
    .filter(isText)
    .map(({ value }) => value);
  for (const [index, key] of itemsOf(isMap(channel) ? channel.get("keys") : undefined).entries())
    if (isText(key) && key.value === hiddenKey) key.value = earlierKeys[index] ?? hiddenKey;
  return channel;
}

/** Returns edits as YAML to copy into a file. Removals become comments. */
export function fragmentOf(edits: readonly Edit[]): string {
  const changed = edits.filter(({ value }) => value !== null);
  const removed = edits.filter(({ value }) => value === null).map(({ path }) => `# remove ${path.join(".")}\n`);
  return removed.join("") + (changed.length === 0 ? "" : applyEdits("", changed));
}

/** Returns the groups, models and channels of a document, without vendor keys. */
export function partsOf(text: string): ConfigurationParts {
  const found: unknown = parseDocument(withHiddenKeys(text)).toJS({ maxAliasCount: 100 });
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

/** Encrypts literal vendor keys of a document, and replaces them by ids. */
export function withStoredKeys(
  text: string,
  encrypt: (key: string, id: string) => string,
): { readonly document: string; readonly keys: readonly StoredVendorKey[] } {
  const keys: StoredVendorKey[] = [];
  const document = parseDocument(text);
  for (const scalar of literalKeys(document)) {
    const id = randomBytes(9).toString("base64url");
    keys.push({ id, sealed: encrypt(scalar.value, id) });
    scalar.value = `kept:${id}`;
  }
  return { document: keys.length === 0 ? text : document.toString(yamlFormat), keys };
}

/** Returns a document with hidden keys; "" for invalid YAML. */
export function withHiddenKeys(text: string): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return "";
  const secrets = [...literalKeys(document), ...clientKeys(document)];
  for (const scalar of secrets) scalar.value = hiddenKey;
  return secrets.length === 0 ? text : document.toString(yamlFormat);
}

type Text = Scalar<string>;

/** Yields literal vendor keys, not references. */
function* literalKeys(document: Document): Iterable<Text> {
  for (const channel of itemsOf(document.get("channels")))
    for (const key of itemsOf(isMap(channel) ? channel.get("keys") : undefined))
      if (isText(key) && !/^(?:env|file|kept):/.test(key.value)) yield key;
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

function isText(value: unknown): value is Text {
  return isScalar(value) && typeof value.value === "string";
}
