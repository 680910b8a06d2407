import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FieldSupport, wires as textWires } from "@modelgate/wires/text";

const source = join(import.meta.dirname, "../../libs/wires/src/text");

/** Tables of the wires that vendors of text speak, by wire. */
const tables = Object.entries(textWires).flatMap(([name, wire]): (readonly [string, FieldSupport])[] =>
  "vendor" in wire ? [[name, wire.vendor.fields]] : [],
);

/** Meanings of the words for hints inside of messages and tools. */
const hints: Readonly<Record<string, string>> = {
  "audio.voice": "voice of spoken answers",
  cache: "cache marks, for a model without a prompt cache",
  "file.cache": "cache mark of a file",
  "file.citations": "wish for citations of a file",
  "file.context": "context of a file",
  "file.name": "name of a file",
  "file.title": "title of a file",
  "format.description": "description of the schema",
  "format.name": "name of the schema",
  "format.strict": "strict adherence to the schema",
  "image.cache": "cache mark of an image",
  "image.detail": "resolution at which an image is read",
  "text.cache": "cache mark of a text",
  "text.citations": "citations of an earlier answer",
  "tool-result.cache": "cache mark of a tool's result",
  "tool-result.is-error": "failure of a tool; chat gets the word `Error:` instead",
  "tools.cache": "cache mark of a tool",
  "tools.format": "grammar of a free-text tool, which becomes a function",
  "tools.strict": "strict adherence to a tool's schema",
  "tools.tool-search": "search for tools by the vendor of another wire",
  "tools.web-search": "search on the web, where the vendor's model has none beside the rest of the request",
  "tools.web-search.options": "options of a search on the web that the wire cannot express",
  "turn.first-assistant": "beginning of a conversation with words of the model",
  "turn.reasoning": "thoughts of earlier turns that this vendor did not seal, or does not take",
  "turn.agents": "messages and calls between agents whose text cannot be read",
  "turn.compaction": "compacted part of a conversation that only its vendor can read",
  "turn.fallback": "mark of an answer where another model took over",
  "turn.search": "steps of a search by the vendor of another wire",
  "turn.tools":
    "steps of tools that the vendor of another wire ran; code, calls and outputs that can be read become text",
  "turn.system-place": "position of an instruction in the middle of the conversation",
};

/** Writes the page of the neutral request of text: each field, and what each vendor's wire makes of it. */
export function textFieldsPage(): string {
  const wires = tables.map(([wire]) => wire);
  const fields = fieldMeanings();
  return [
    "# Fields of requests",
    "",
    "A call whose client and vendor speak the same wire is passed on as it came. Any other is converted through one neutral form.",
    "The first table shows what becomes of each field of that form on the way to a vendor:",
    "",
    "- a name: the vendor gets the field under this name, converted to the wire's own values",
    "- **dropped**: a hint that the wire cannot express is left out, and named in `x-modelgate-dropped`",
    "- **refused**: status 400, `unsupported_parameter`, because the request would mean something else without it",
    "",
    "`x-modelgate-dropped` and errors name a field as the client's own wire spells it. With `x-modelgate-strict: true` a hint is refused as well.",
    "",
    `| field | meaning | ${wires.join(" | ")} |`,
    `|---|---|${wires.map(() => "---").join("|")}|`,
    ...[...fields].map(([field, meaning]) => {
      const cells = tables.map(([, support]) => cellOf(field, support));
      return `| \`${field}\` | ${meaning} | ${cells.join(" | ")} |`;
    }),
    "",
    "The tables at the end of this page show the [fields of all other kinds](#fields-of-other-kinds).",
    "",
    "Some vendors' models take less than their wire does: then a field is dropped for these models only.",
    "",
    "## Hints inside of messages and tools",
    "",
    "A hint that is no field of the request has a word of its own in `x-modelgate-dropped`:",
    "",
    "| word | what is left out | on the way to |",
    "|---|---|---|",
    ...[...notedWords()].map(([word, at]) => `| \`${word}\` | ${meaningOf(word)} | ${[...at].join(", ")} |`),
    "",
  ].join("\n");
}

function cellOf(field: string, { as, refused }: FieldSupport): string {
  const spelling = Object.entries(as).find(([name]) => name === field)?.[1];
  if (spelling !== undefined) return `\`${spelling}\``;
  return refused.some((name) => name === field) ? "**refused**" : "**dropped**";
}

function meaningOf(word: string): string {
  const meaning = hints[word];
  if (meaning === undefined)
    throw new Error(`docs/generate/text-fields.ts has no meaning for the dropped hint ${word}`);
  return meaning;
}

/** Reads the fields with their doc comments from the type of the request. */
function fieldMeanings(): ReadonlyMap<string, string> {
  const text = readFileSync(join(source, "hub/request.ts"), "utf8");
  const meanings = new Map(
    [...text.matchAll(/\/\*\* (.*)\. \*\/\n {2}readonly (\w+)\?:/g)].map(([, meaning = "", name = ""]) => [
      name,
      meaning,
    ]),
  );
  const names = tables.flatMap(([, { as }]) => Object.keys(as));
  return new Map(
    [...new Set(names)].map((name) => {
      const meaning = meanings.get(name);
      if (meaning === undefined) throw new Error(`TextRequest.${name} has no doc comment`);
      return [name, meaning];
    }),
  );
}

/** Finds the files of the hub that a wire imports, also through other files of the hub. */
function hubFilesOf(wire: string): ReadonlySet<string> {
  const waiting = globSync(`${wire}/*.ts`, { cwd: source });
  const found = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const imports = file.startsWith("hub") ? /"\.\/([\w-]+\.ts)"/g : /"\.\.\/hub\/([\w-]+\.ts)"/g;
    for (const [, name = ""] of readFileSync(join(source, file), "utf8").matchAll(imports)) {
      if (!found.has(name)) waiting.push(`hub/${name}`);
      found.add(name);
    }
  }
  return found;
}

/** Reads the words that renderings note as lost from their source, with the wires that do so. */
function notedWords(): ReadonlyMap<string, ReadonlySet<string>> {
  const wires = tables.map(([wire]) => wire);
  const uses = new Map(wires.map((wire) => [wire, hubFilesOf(wire)]));
  const fields = new Set(tables.flatMap(([, { as }]) => Object.keys(as)));
  const found = globSync("{hub,chat,responses,messages,content,converse}/*.ts", { cwd: source }).flatMap((file) => {
    const at = basename(dirname(file));
    const words = [...readFileSync(join(source, file), "utf8").matchAll(/\bnote(?:If)?\("([^"]+)"/g)].map(
      ([, word = ""]) => word,
    );
    const noting = at === "hub" ? wires.filter((wire) => uses.get(wire)?.has(basename(file))) : [at];
    return words.flatMap((word) => noting.map((wire) => [word, wire] as const));
  });
  const words = Map.groupBy(
    found.filter(([word]) => !fields.has(word)),
    ([word]) => word,
  );
  return new Map(
    [...words]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([word, at]) => [word, new Set(at.map(([, wire]) => wire).toSorted())]),
  );
}
