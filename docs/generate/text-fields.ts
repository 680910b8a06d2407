import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FieldSupport, wires as textWires } from "@modelgate/wires/text";

const source = join(import.meta.dirname, "../../libs/wires/src/text");

/** Fields that the wires of text vendors support, by wire. */
const tables = Object.entries(textWires).flatMap(([name, wire]): (readonly [string, FieldSupport])[] =>
  "vendor" in wire ? [[name, wire.vendor.fields]] : [],
);

/** Meanings of the words for hints inside of messages and tools. */
const hints: Readonly<Record<string, string>> = {
  "audio.voice": "voice of audio answers",
  cache: "cache markers, if the model has no prompt cache",
  "file.cache": "cache marker of a file",
  "file.citations": "request for citations from a file",
  "file.context": "context of a file",
  "file.name": "name of a file",
  "file.title": "title of a file",
  "format.description": "description of the schema",
  "format.name": "name of the schema",
  "format.strict": "strict adherence to the schema",
  "image.cache": "cache marker of an image",
  "image.detail": "resolution at which an image is read",
  "text.cache": "cache marker of a text",
  "text.citations": "citations of an earlier answer",
  "tool-result.cache": "cache marker of a tool's result",
  "tool-result.is-error": "error flag of a tool result, which the chat wire replaces by the prefix `Error:`",
  "tools.advisor": "Anthropic's tool that asks another model, if the vendor does not have this tool",
  "tools.cache": "cache marker of a tool",
  "tools.code-execution": "code execution of Google or Anthropic, if the vendor does not have this tool",
  "tools.format": "grammar of a free-text tool, which becomes a function",
  "tools.google-maps": "Google Maps, if the vendor does not have this tool",
  "tools.mcp": "MCP servers of OpenAI or Anthropic, if the vendor does not have this tool",
  "tools.options": "options of Google's tools, if client and vendor use different wires of Google",
  "tools.strict": "strict adherence to a tool's schema",
  "tools.tool-search": "tool search that only vendors of another wire run",
  "tools.url-context": "tool that reads pages by their address, if the vendor does not have this tool",
  "tools.web-fetch": "Anthropic's tool that reads pages, if the vendor does not have this tool",
  "tools.web-search": "web search, if the vendor's model cannot combine it with the rest of the request",
  "tools.web-search.options": "options of a web search that the wire cannot express",
  "turn.first-assistant": "a model message at the start of a conversation",
  "turn.reasoning": "reasoning of earlier turns that this vendor did not sign, or does not accept",
  "turn.agents": "messages and calls between agents whose text cannot be read",
  "turn.compaction": "compacted part of a conversation that only its vendor can read",
  "turn.fallback": "marker where another model took over the answer",
  "turn.search": "steps of a web search that a vendor of another wire ran",
  "turn.tools":
    "steps of tools that a vendor of another wire ran, except readable code, calls and outputs, which become text",
  "turn.system-place": "position of an instruction in the middle of the conversation",
};

/** Returns the page about the neutral request for text. */
export function textFieldsPage(): string {
  const wires = tables.map(([wire]) => wire);
  const fields = fieldMeanings();
  return [
    "# Fields of requests",
    "",
    "A *wire* is the format of a client or a vendor ([Formats and endpoints](/guide/served)). If client and vendor use the same wire, a request is passed on",
    "unchanged. Otherwise it is converted through one neutral form. The first table shows how each field of this form is sent to a vendor:",
    "",
    "- a name: the vendor gets the field under this name, with the values of its wire",
    "- **dropped**: the wire cannot express this optional field, so modelgate leaves it out and names it in `x-modelgate-dropped`",
    "- **refused**: the client gets the status 400 and the code `unsupported_parameter`, because the request would have another meaning without the field",
    "",
    "In `x-modelgate-dropped` and in errors, a field has the name that the client's wire uses. If the request has the header `x-modelgate-strict: true`,",
    "modelgate refuses it instead of dropping fields.",
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
    "Some models support fewer fields than the wire of their vendor. For these models, modelgate also drops the fields that the model does not support.",
    "",
    "## Optional fields inside messages and tools",
    "",
    "An optional field inside a message or a tool has its own name in `x-modelgate-dropped`:",
    "",
    "| name | what is left out | wires |",
    "|---|---|---|",
    ...[...notedWords()].map(([word, at]) => `| \`${word}\` | ${meaningOf(word)} | ${[...at].join(", ")} |`),
    "",
  ].join("\n");
}

function cellOf(field: string, { spelling, refused }: FieldSupport): string {
  const spelled = Object.entries(spelling).find(([name]) => name === field)?.[1];
  if (spelled !== undefined) return `\`${spelled}\``;
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
  const names = tables.flatMap(([, { spelling }]) => Object.keys(spelling));
  return new Map(
    [...new Set(names)].map((name) => {
      const meaning = meanings.get(name);
      if (meaning === undefined) throw new Error(`TextRequest.${name} has no doc comment`);
      return [name, meaning];
    }),
  );
}

/** Finds the files of the hub that a wire imports, directly or not. */
function hubFilesOf(wire: string): ReadonlySet<string> {
  const unreadFiles = globSync(`${wire}/*.ts`, { cwd: source });
  const found = new Set<string>();
  for (let file = unreadFiles.pop(); file !== undefined; file = unreadFiles.pop()) {
    const imports = file.startsWith("hub") ? /"\.\/([\w-]+\.ts)"/g : /"\.\.\/hub\/([\w-]+\.ts)"/g;
    for (const [, name = ""] of readFileSync(join(source, file), "utf8").matchAll(imports)) {
      if (!found.has(name)) unreadFiles.push(`hub/${name}`);
      found.add(name);
    }
  }
  return found;
}

/** Reads the words for lost fields from the source, with the wires that use each word. */
function notedWords(): ReadonlyMap<string, ReadonlySet<string>> {
  const wires = tables.map(([wire]) => wire);
  const uses = new Map(wires.map((wire) => [wire, hubFilesOf(wire)]));
  const fields = new Set(tables.flatMap(([, { spelling }]) => Object.keys(spelling)));
  const found = globSync("{hub,chat,responses,interactions,messages,content,converse}/*.ts", { cwd: source }).flatMap(
    (file) => {
      const folderName = basename(dirname(file));
      const words = [...readFileSync(join(source, file), "utf8").matchAll(/\bnote(?:If)?\("([^"]+)"/g)].map(
        ([, word = ""]) => word,
      );
      const noting = folderName === "hub" ? wires.filter((wire) => uses.get(wire)?.has(basename(file))) : [folderName];
      return words.flatMap((word) => noting.map((wire) => [word, wire] as const));
    },
  );
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
