import { Failure } from "@modelgate/contracts";
import { camelName, isRecord, type JsonRecord, parseRecord } from "@modelgate/formats/json";
import { plainMembers, storeMembers } from "./members.ts";
import type { Naming, StoreDialect, StoreMember, VendorId } from "./members.ts";

/** Maximum number of ids in a request. The search ends when it is exceeded. */
export const maxVendorIds = 10_000;

const maxNameCharacters = 64;

const maxTextCharacters = 64 * 1024;

/** Rules for members of one name; null if they do not refer to a store. */
type Rules = readonly StoreMember[] | "opaque" | "contents" | null;

/** Finds the objects of a vendor's store that a body names at any depth. Takes steps of a few milliseconds. */
export function* vendorIdsIn(
  dialect: StoreDialect,
  body: unknown,
  vendorHosts: ReadonlySet<string> = new Set(),
): Generator<undefined, readonly VendorId[]> {
  const search = new VendorIdSearch(compiled.get(dialect) ?? compileRules(dialect), vendorHosts);
  yield* search.walk(body);
  if (dialect.named !== undefined && isRecord(body)) search.add(dialect.named(body));
  return search.ids;
}

const namesPerStep = 4_000;

/**
 * Position of the search in an object or array. `names` are the names of the object's members, or the items of the
 * array.
 */
interface SearchPosition {
  readonly value: object;
  readonly names: readonly unknown[];
  /** Number of visited members or items, including the current one. */
  at: number;
}

class VendorIdSearch {
  readonly ids: VendorId[] = [];
  readonly #rules: (name: string) => Rules;
  readonly #hosts: ReadonlySet<string>;
  readonly #open: SearchPosition[] = [];

  constructor(rules: (name: string) => Rules, hosts: ReadonlySet<string>) {
    this.#rules = rules;
    this.#hosts = hosts;
  }

  add(ids: readonly VendorId[]): void {
    for (const id of ids) if (this.ids.length <= maxVendorIds) this.ids.push(id);
  }

  *walk(root: unknown): Generator<undefined, void> {
    this.#enter(root);
    for (let seen = 1; this.ids.length <= maxVendorIds; seen++) {
      const top = this.#open.at(-1);
      if (top === undefined) return;
      const { value, names } = top;
      const name = names[top.at++];
      if (top.at > names.length) this.#open.pop();
      else if (!isRecord(value)) this.#enter(name);
      else if (typeof name === "string") {
        const rules = this.#rules(name);
        if (rules !== null && typeof rules !== "string") this.#inspect(rules, value, name);
        if (rules === "opaque" || (rules === "contents" && !isContent(value[name]))) continue;
        this.#enter(value[name]);
      }
      if (seen % namesPerStep === 0) yield;
    }
  }

  #enter(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    this.#open.push({ value, names: Array.isArray(value) ? value : Object.keys(value), at: 0 });
  }

  #inspect(rules: readonly StoreMember[], holder: JsonRecord, name: string): void {
    for (const { store, naming, of, notOf, except, top } of rules) {
      const type = holder["type"];
      if ((of !== undefined && type !== of) || (notOf !== undefined && type === notOf)) continue;
      if (top === true && this.#open.length > 1) continue;
      const value = holder[name];
      if (naming === "json") this.#inspectText(value, name);
      else
        for (const { id, at } of readers[naming](value, this.#hosts))
          if (except?.includes(id) !== true) this.add([{ store, id, path: this.#path() + at }]);
    }
  }

  #inspectText(text: unknown, name: string): void {
    if (typeof text !== "string") return;
    if (text.length > maxTextCharacters)
      throw new Failure("request_too_large", `${name} is longer than ${maxTextCharacters} characters.`, {
        param: name,
      });
    const inside = parseRecord(text);
    if (inside !== undefined) this.#enter(inside);
  }

  #path(): string {
    return this.#open.reduce((path, { value, names, at }) => {
      if (!isRecord(value)) return `${path}[${at - 1}]`;
      return path === "" ? String(names[at - 1]) : `${path}.${String(names[at - 1])}`;
    }, "");
  }
}

function isContent(value: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.some((item) => isRecord(item) && typeof item["type"] === "string");
}

interface FoundId {
  readonly id: string;
  readonly at: string;
}

type Read = (value: unknown, vendorHosts: ReadonlySet<string>) => readonly FoundId[];

const none: readonly FoundId[] = [];

/** Extends a reader of one value to lists of values. It stops when it has found more than `maxVendorIds`. */
const listed =
  (read: Read): Read =>
  (value, vendorHosts) => {
    if (!Array.isArray(value)) return read(value, vendorHosts);
    const references: FoundId[] = [];
    for (let index = 0; index < value.length && references.length <= maxVendorIds; index++)
      for (const { id, at } of read(value[index], vendorHosts)) references.push({ id, at: `[${index}]${at}` });
    return references;
  };

const oneId: Read = (value) => {
  const id = idOf(value);
  return id === undefined ? none : [{ id, at: "" }];
};

const oneObject: Read = (value) => {
  const id = isRecord(value) ? idOf(value["id"]) : undefined;
  return id === undefined ? none : [{ id, at: ".id" }];
};

const addresses = (isStored: (text: string, vendorHosts: ReadonlySet<string>) => boolean): Read =>
  listed((value, vendorHosts) =>
    typeof value === "string" && isStored(value, vendorHosts) ? [{ id: value, at: "" }] : none,
  );

/** Number of characters at the beginning of a text in which a file's scheme is searched. */
const schemeHeadCharacters = 64;

const readers: Readonly<Record<Exclude<Naming, "json">, Read>> = {
  id: listed(oneId),
  object: listed(oneObject),
  "id-or-object": listed((value, vendorHosts) =>
    isRecord(value) ? oneObject(value, vendorHosts) : oneId(value, vendorHosts),
  ),
  address: addresses(isInStore),
  "file-address": addresses(mayBeFileInStore),
  text: (value) =>
    typeof value === "string" && /^\s*fileid:\/\//i.test(value.slice(0, schemeHeadCharacters))
      ? [{ id: value.slice(0, schemeHeadCharacters), at: "" }]
      : none,
  setting: (value) => (isEmpty(value) ? none : [{ id: "", at: "" }]),
  "made-voice": (value) => (typeof value === "string" && /^voice_/i.test(value) ? [{ id: value, at: "" }] : none),
};

function idOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

const compiled = new Map<StoreDialect, (name: string) => Rules>();

const maxNames = 1_000;

/**
 * Compiles the rules of a dialect into a function from a member's name to its rules. Results for short names are cached,
 * up to `maxNames`.
 */
function compileRules(dialect: StoreDialect): (name: string) => Rules {
  const members = new Map<string, readonly StoreMember[]>();
  const { members: own = [], without = [], opaque, contents = [] } = dialect;
  for (const member of [...storeMembers, ...own])
    for (const name of member.names.filter((each) => !without.includes(each)))
      members.set(name, [...(members.get(name) ?? []), member]);
  const rules = new Map<string, Rules>([
    ...members,
    ...opaque.map((name) => [name, "opaque"] as const),
    ...contents.map((name) => [name, "contents"] as const),
  ]);
  const folded = new Map([...rules].map(([name, rule]) => [fold(name), rule]));
  const exact = new Map<string, Rules>([
    ...plainMembers.map((name) => [name, null] as const),
    ...[...rules].flatMap(([name, rule]) => [[name, rule] as const, [camelName(name), rule] as const]),
  ]);
  // Most names are excluded by their length or first letter.
  const firstCharacters = new Set([...folded.keys()].map((name) => name.charCodeAt(0)));
  const rulesFor = (name: string): Rules => {
    const member = exact.get(name);
    if (member !== undefined) return member;
    if (name.length > maxNameCharacters) return null;
    const found = (firstCharacters.has(firstFolded(name)) ? folded.get(fold(name)) : null) ?? null;
    if (exact.size < maxNames) exact.set(name, found);
    return found;
  };
  compiled.set(dialect, rulesFor);
  return rulesFor;
}

/** Folds a name as the most lenient parsers do, which ignore separators and case. */
function fold(name: string): string {
  return name.toLowerCase().toUpperCase().replaceAll(/[-_]/g, "");
}

/** Returns the first character of a folded name. An ASCII letter is converted directly, because folding is slow. */
function firstFolded(name: string): number {
  const code = name.charCodeAt(0);
  if (code >= 0x61 && code <= 0x7a) return code - 0x20;
  return code >= 0x41 && code <= 0x5a ? code : fold(name).charCodeAt(0);
}

/** Matches hosts of Google's API. They serve only content of the operator's key. */
const apiHosts = /(?:^|[.-])(?:generativelanguage|aiplatform)\.googleapis\.com$/;

/** Schemes of addresses in a vendor's store: Google, Moonshot, DashScope, AWS, BytePlus, Azure. */
const storeSchemes: ReadonlySet<string> = new Set(
  "gs ms oss s3 tos asset fileid file-id azureml wasbs abfss".split(" "),
);

const scheme = /^\s*([a-z][\d+.a-z-]{0,99}):/i;

/** Matches the name of a file in a store without the vendor's address. */
const bareName = /^\s*\/?(?:v\d\w{0,99}\/)?(?:files|cachedContents|corpora|fileSearchStores)\//i;

/** Number of characters of an address that are inspected. An address may be megabytes of Base64. */
const headCharacters = 1_000;

/** Maximum length of a web address. A longer one is treated as an object in a vendor's store. */
const maxUrlCharacters = 64 * 1024;

/**
 * Returns true for an address in a vendor's store, by its host or scheme, and for a bare name such as `files/abc`.
 * Returns false for public addresses and data URLs.
 */
function isInStore(text: string, vendorHosts: ReadonlySet<string>): boolean {
  const head = text.slice(0, headCharacters);
  const [, id] = scheme.exec(head) ?? [];
  if (id === undefined) return bareName.test(head) || isBlank(head);
  const name = id.toLowerCase();
  return isWeb(name) ? isOfVendor(text, vendorHosts) : storeSchemes.has(name);
}

/** Returns true unless the address is a public web address or a data URL. */
function mayBeFileInStore(text: string, vendorHosts: ReadonlySet<string>): boolean {
  const head = text.slice(0, headCharacters);
  const name = scheme.exec(head)?.[1]?.toLowerCase();
  if (name === undefined) return isBlank(head) || head.trim() !== "";
  return isWeb(name) ? isOfVendor(text, vendorHosts) : name !== "data";
}

/** Returns true if all inspected characters are white space, because a scheme may follow them. */
function isBlank(head: string): boolean {
  return head.length === headCharacters && head.trim() === "";
}

function isWeb(name: string): boolean {
  return name === "http" || name === "https";
}

function isOfVendor(text: string, vendorHosts: ReadonlySet<string>): boolean {
  if (text.length > maxUrlCharacters || !URL.canParse(text)) return true;
  const { hostname, pathname } = new URL(text);
  const host = hostname.replace(/\.$/, "");
  if (apiHosts.test(host)) return true;
  return vendorHosts.has(host) && /\/(?:f|%66)(?:i|%69)(?:l|%6c)(?:e|%65)(?:s|%73)(?:\/|%2f)/i.test(pathname);
}
