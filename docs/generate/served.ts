import { endpointIds, endpointOf, modelKinds, wiresOfKind, type Endpoint, type ModelKind } from "@modelgate/contracts";
import { providers } from "@modelgate/providers";

const all = endpointIds.map(endpointOf);
const implemented = all.filter(({ unimplemented }) => unimplemented !== true);

/** Returns the table of kinds, with the endpoints and wires of each. */
export function kindsTable(): string {
  const rows = modelKinds.map((kind) => {
    const endpoints = implemented.filter(({ kinds = [] }) => kinds.includes(kind));
    return `| \`${kind}\` | ${endpoints.map(nameOf).join("<br>")} | ${wiresOf(kind).map(code).join(", ")} |`;
  });
  return ["| kind of model | endpoints for clients | wires of vendors |", "|---|---|---|", ...rows].join("\n");
}

/** Returns the list of endpoints that call no model. */
export function otherEndpoints(): string {
  return list(implemented.filter(({ kinds = [] }) => kinds.length === 0));
}

/** Returns the list of endpoints that answer 501. */
export function unimplementedEndpoints(): string {
  return list(all.filter(({ unimplemented }) => unimplemented === true));
}

function wiresOf(kind: ModelKind): readonly string[] {
  const vendorWires = new Set(
    Object.values(providers).flatMap(({ wires, moreWires = [] }) => [...wires, ...moreWires]),
  );
  return [...new Set(wiresOfKind[kind])].filter((wire) => vendorWires.has(wire));
}

function list(endpoints: readonly Endpoint[]): string {
  return [
    "| endpoint | purpose |",
    "|---|---|",
    ...endpoints.map((each) => `| ${nameOf(each)} | ${each.summary} |`),
  ].join("\n");
}

function nameOf({ method, path }: Endpoint): string {
  return code(`${method} ${path}`);
}

function code(word: string): string {
  return `<code>${word.replaceAll("{", "&#123;")}</code>`;
}
