import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../../console/src");
const files = globSync(join(folder, "**/*.tsx"));
/** JSX attributes and object members with texts for people. */
const read = new Set(["label", "title", "placeholder", "description", "aria-label", "heading"]);
/** Texts that are equal in every language. */
const names = new Set([
  "modelgate",
  "modelgate console",
  "npm run gatectl -- operator link",
  "team",
  "10.0.0.0/8, 2001:db8::/32",
  "account, organisation:ID, team:ID, member:TEAM/NAME, key:ID, group:NAME, model:NAME, tag:NAME=VALUE, end-user:ID",
]);
const hasWords = (text: string): boolean => /\p{L}{2,}/u.test(text) && !names.has(text.trim());

test("the console has no text outside its dictionary", () => {
  const found = files.flatMap((file) =>
    textsIn(parseAst(readFileSync(file, "utf8"), { lang: "tsx" })).map((text) => `${relative(folder, file)}: ${text}`),
  );
  expect(found).toEqual([]);
});

test("every text of the dictionary is used, and is translated", async () => {
  const { chinese }: { readonly chinese: Readonly<Record<string, string>> } = await import(
    join(folder, "texts/chinese.ts")
  );
  const { chineseWords }: { readonly chineseWords: object } = await import(join(folder, "texts/chinese-words.ts"));
  const sources = globSync(join(folder, "{pages,parts,format,texts}/*.{ts,tsx}"))
    .filter((file) => !file.includes("chinese"))
    .concat(join(folder, "../../../libs/contracts/src/audit-text.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const unused = Object.keys(chinese).filter(
    (text) => !Object.hasOwn(chineseWords, text) && !sources.includes(JSON.stringify(text).slice(1, -1)),
  );
  expect(unused).toEqual([]);
  const latin = Object.entries(chinese).filter(
    ([text, translation]) => text !== translation && !/\p{Script=Han}/u.test(translation),
  );
  expect(latin).toEqual([]);
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).toSorted();
  for (const [text, translation] of Object.entries(chinese)) expect(places(translation), text).toEqual(places(text));
});

/** Returns the texts for people in a syntax tree. */
function textsIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (typeof node !== "object" || node === null) return [];
  const own = textOf(node);
  return [...(own !== undefined && hasWords(own) ? [own.trim()] : []), ...Object.values(node).flatMap(textsIn)];
}

function textOf(node: object): string | undefined {
  const { type, value, name, key } = { type: "", value: undefined, name: undefined, key: undefined, ...node };
  if (type === "JSXText") return typeof value === "string" ? value : undefined;
  const named = type === "JSXAttribute" ? name : type === "Property" ? key : undefined;
  const word: unknown = typeof named === "object" && named !== null ? Reflect.get(named, "name") : undefined;
  return typeof word === "string" && read.has(word) ? writtenIn(value) : undefined;
}

/** Returns the text of a literal or of the fixed parts of a template. */
function writtenIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const inner: unknown = Reflect.get(value, "expression");
  if (inner !== undefined) return writtenIn(inner);
  const literal: unknown = Reflect.get(value, "value");
  if (typeof literal === "string") return literal;
  const quasis: unknown = Reflect.get(value, "quasis");
  if (!Array.isArray(quasis)) return undefined;
  return quasis.map((part: { readonly value: { readonly raw: string } }) => part.value.raw).join("");
}
