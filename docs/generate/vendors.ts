import { existsSync } from "node:fs";
import { join } from "node:path";
import { providers } from "@modelgate/providers";

const pages = join(import.meta.dirname, "../vendors");

/** Returns the facts for each vendor's page: the name for `provider`, its wires, the form of its keys. */
export function vendorFragments(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(providers).map(([name, { wires, moreWires = [], keyForm }]) => [
      name,
      [
        `- \`provider: ${name}\``,
        `- [wires](/guide/served) that modelgate uses, best first: ${wires.map(code).join(", ")}`,
        ...(moreWires.length === 0
          ? []
          : [`- wires that the member \`wires\` of a channel can add: ${moreWires.map(code).join(", ")}`]),
        ...(keyForm === undefined ? [] : [`- a key is ${keyForm.description}`]),
        "",
        "modelgate's tests call a simulator of this vendor. The simulator refuses what the vendor refuses according to the vendor's documentation.",
        "",
      ].join("\n"),
    ]),
  );
}

/** Returns the table of all vendors: the name in a channel, the place of the key, and the supported wires. */
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
