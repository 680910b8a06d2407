import { providers } from "@modelgate/providers";
export { vendorTable } from "@modelgate/providers/vendor-table";

/** Writes what the table of vendors knows of each: the name for `provider`, its wires, the form of its keys. */
export function vendorFragments(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(providers).map(([name, { wires, moreWires = [], keyForm }]) => [
      name,
      [
        `- \`provider: ${name}\``,
        `- wires that it supports, best first: ${wires.map(code).join(", ")}`,
        ...(moreWires.length === 0
          ? []
          : [`- wires that a channel's \`wires\` may add: ${moreWires.map(code).join(", ")}`]),
        ...(keyForm === undefined ? [] : [`- a key is ${keyForm.words}`]),
        "",
      ].join("\n"),
    ]),
  );
}

function code(word: string): string {
  return `\`${word}\``;
}
