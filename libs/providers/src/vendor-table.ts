import { providers } from "./index.ts";

/** The table of all vendors, in Markdown: how a channel names each, where its key is, what it speaks. */
export function vendorTable(): string {
  const rows = Object.values(providers).map(
    ({ name, title = name, keyVariable, usualKey, isLocal, baseUrl, wires }) => {
      const variable = keyVariable === undefined ? "" : `\`${keyVariable}\`${isLocal === true ? ", optional" : ""}`;
      const key = usualKey === undefined ? variable : `\`${usualKey}\`, its own chain`;
      const address = baseUrl === undefined ? "each customer's own" : `\`${baseUrl}\``;
      return `| ${title} | \`${name}\` | ${address} | ${key} | ${wires.join(", ")} |`;
    },
  );
  return [
    "| vendor | `provider` | base URL where a channel names none | its key | wires |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
