import { existsSync } from "node:fs";
import { join } from "node:path";
import { providers } from "@modelgate/providers";

const pages = join(import.meta.dirname, "../vendors");

/** Returns the facts for each vendor's page. */
export function vendorFragments(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(providers).map(([name, { wires, moreWires = [], keyForm }]) => [
      name,
      [
        `- \`provider: ${name}\``,
        `- formats ([wires](/guide/served)) in which modelgate calls this vendor, best first: ${wires.map(code).join(", ")}`,
        ...(moreWires.length === 0
          ? []
          : [`- further wires, which a channel can name in \`wires\`: ${moreWires.map(code).join(", ")}`]),
        ...(keyForm === undefined ? [] : [`- a key is ${keyForm.description}`]),
        "",
      ].join("\n"),
    ]),
  );
}

export function vendorTable(): string {
  const rows = Object.values(providers).map(
    ({ name, title = name, keyVariable, defaultKey, isLocal, baseUrl, wires }) => {
      const variable = keyVariable === undefined ? "" : `\`${keyVariable}\`${isLocal === true ? ", optional" : ""}`;
      const key = defaultKey === undefined ? variable : `\`${defaultKey}\` (its credential chain)`;
      const address = baseUrl === undefined ? "set by the channel" : `\`${baseUrl}\``;
      const label = existsSync(join(pages, `${name}.md`)) ? `[${title}](/vendors/${name})` : title;
      return `| ${label} | \`${name}\` | ${address} | ${key} | ${wires.join(", ")} |`;
    },
  );
  return ["| vendor | `provider` | default base URL | key | wires |", "|---|---|---|---|---|", ...rows].join("\n");
}

function code(word: string): string {
  return `\`${word}\``;
}
