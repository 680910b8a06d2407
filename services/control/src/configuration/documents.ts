import { randomBytes } from "node:crypto";
import { field } from "../field.ts";
import { isMap, isScalar, isSeq, parseDocument, type Document, type Scalar } from "yaml";

/** A vendor's key as the books keep it. */
export interface SealedVendorKey {
  readonly id: string;
  readonly sealed: string;
}

/** A change to one part of a configuration: `["models", "gpt-x"]`, or a channel by its id. */
export interface Edit {
  readonly path: readonly [section: "groups" | "models" | "channels", name: string];
  /** New value; null removes the member. */
  readonly value: unknown;
}

/** The groups, models and channels that a document has. */
export interface ConfigurationParts {
  readonly groups: object;
  readonly models: object;
  readonly channels: readonly unknown[];
}

/** Text that replaces a key. */
const hidden = "(hidden)";

/** Format of a document's YAML. */
const written = { lineWidth: 120, flowCollectionPadding: true } as const;

/** Applies edits to a document; its comments and order stay. Throws nothing: what is wrong is found by the check after. */
export function edited(text: string, edits: readonly Edit[]): string {
  const document = parseDocument(text);
  for (const { path, value } of edits) edit(document, path, value);
  return document.toString(written);
}

function edit(document: Document, [section, name]: Edit["path"], value: unknown): void {
  const before = document.get(section);
  // What is empty is written as {} or []; what it takes is on lines of its own.
  if ((isMap(before) || isSeq(before)) && before.items.length === 0) before.flow = false;
  if (section !== "channels") {
    if (value === null) document.deleteIn([section, name]);
    else document.setIn([section, name], document.createNode(value));
    return;
  }
  const channels = document.get("channels");
  if (!isSeq(channels)) return void (value !== null && document.set("channels", document.createNode([value])));
  const at = channels.items.findIndex((item) => isMap(item) && item.get("id") === name);
  if (value === null) {
    if (at >= 0) channels.delete(at);
  } else if (at >= 0) channels.set(at, withKeysThatStay(document.createNode(value), channels.items[at]));
  else channels.add(document.createNode(value));
}

/** A channel in which each key that reads as hidden is the one that was at its position before. */
function withKeysThatStay(channel: unknown, before: unknown): unknown {
  const known = [...itemsOf(isMap(before) ? before.get("keys") : undefined)].filter(isText).map(({ value }) => value);
  for (const [at, key] of itemsOf(isMap(channel) ? channel.get("keys") : undefined).entries())
    if (isText(key) && key.value === hidden) key.value = known[at] ?? hidden;
  return channel;
}

/** The YAML of edits alone, to be copied into a file; what is to be removed is in comments. */
export function fragmentOf(edits: readonly Edit[]): string {
  const kept = edits.filter(({ value }) => value !== null);
  const removed = edits.filter(({ value }) => value === null).map(({ path }) => `# remove ${path.join(".")}\n`);
  return removed.join("") + (kept.length === 0 ? "" : edited("", kept));
}

/** Returns the groups, models and channels of a document as they are written, without vendors' keys. */
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

/** A document without the accounts that it declares: those live in the books already. */
export function withoutAccounts(text: string): string {
  const document = parseDocument(text);
  if (!document.has("accounts")) return text;
  document.delete("accounts");
  return document.toString(written);
}

/** Takes vendor keys that are written out of a document: each is sealed, and named by a new id in its place. */
export function withKeptKeys(
  text: string,
  seal: (key: string, id: string) => string,
): { readonly document: string; readonly keys: readonly SealedVendorKey[] } {
  const keys: SealedVendorKey[] = [];
  const document = parseDocument(text);
  for (const scalar of writtenKeys(document)) {
    const id = randomBytes(9).toString("base64url");
    keys.push({ id, sealed: seal(scalar.value, id) });
    scalar.value = `kept:${id}`;
  }
  return { document: keys.length === 0 ? text : document.toString(written), keys };
}

/** A document as people may see it: keys of vendors and clients that are written in it are hidden. */
export function withHiddenKeys(text: string): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return "";
  const secrets = [...writtenKeys(document), ...clientKeys(document)];
  for (const scalar of secrets) scalar.value = hidden;
  return secrets.length === 0 ? text : document.toString(written);
}

type Text = Scalar<string>;

/** The vendor keys that a document holds in clear. */
function* writtenKeys(document: Document): Iterable<Text> {
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
