import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DeclaredVariable } from "@modelgate/contracts";
import { describeVariables } from "@modelgate/deploy/reference";

const settings = readFileSync(join(import.meta.dirname, "../guide/settings.md"), "utf8");

/** Names of the most important variables, in the order of their page. */
export const firstVariables: readonly string[] = [...settings.matchAll(/^\| `(\w+)` \|/gm)].map(
  ([, name = ""]) => name,
);

/** Variable, and the services that declare it alike. */
interface Row {
  readonly variable: DeclaredVariable;
  readonly services: readonly string[];
}

/** Returns the reference of environment variables: the most important ones first, then by service. */
export async function environmentPage(): Promise<string> {
  // The simulator is not part of the gateway.
  const described = (await describeVariables()).filter(({ service }) => service !== "simulator");
  const rows = new Map<string, Row>();
  for (const { service, variables } of described)
    for (const variable of variables.map((each) => withoutService(each, service))) {
      const key = JSON.stringify([variable.name, variable.fallback, variable.allowed]);
      const services = [...(rows.get(key)?.services ?? []), service];
      rows.set(key, { variable, services });
    }
  // Without the gateway, which reads the variables of its services.
  const all = described.filter(({ service }) => service !== "gateway").length;
  const first = firstVariables.flatMap((name) => [...rows.values()].filter(({ variable }) => variable.name === name));
  const otherRows = [...rows.values()].filter(({ variable }) => !firstVariables.includes(variable.name));
  const groups = Map.groupBy(otherRows, ({ services }) => titleOf(services, all));
  const tables = [
    { title: "What matters first", rows: first },
    ...Array.from(groups, ([title, found]) => ({ title, rows: found })).toSorted(
      (one, other) => readersOf(other.rows) - readersOf(one.rows),
    ),
  ];
  return [
    "# Environment",
    "",
    "This page lists all environment variables of the services. It is generated from the code that reads them. `gateway` is the program that runs the",
    "services. If a variable has a wrong value, the program exits with status 78 and prints one line that names each wrong variable. `npm start` and the",
    "images set the addresses and ports of services.",
    "",
    ...tables.flatMap((table) => [
      `## ${table.title}`,
      "",
      "| variable | default | allowed | read by | meaning |",
      "|---|---|---|---|---|",
      ...table.rows.map(({ variable, services }) =>
        lineOf(variable, services.length === all ? "all" : services.join(", ")),
      ),
      "",
    ]),
  ].join("\n");
}

/** Replaces a service's name in port variables: TEXT_PORT becomes `<NAME>_PORT`. */
function withoutService(variable: DeclaredVariable, service: string): DeclaredVariable {
  const prefix = `${service.toUpperCase()}_`;
  return /_(?:OPS_)?PORT$/.test(variable.name) && variable.name.startsWith(prefix)
    ? { ...variable, name: `<NAME>_${variable.name.slice(prefix.length)}` }
    : variable;
}

function titleOf(services: readonly string[], all: number): string {
  const [only = ""] = services;
  if (services.length === 1) return `\`${only}\``;
  return services.length === all ? "Every service" : "Several services";
}

/** Returns the largest number of services that declare one of these variables. */
function readersOf(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ services }) => services.length));
}

function lineOf({ name, fallback, isRequired, unit, allowed, meaning }: DeclaredVariable, readers: string): string {
  const value =
    fallback === undefined || fallback === "" ? "unset" : `\`${fallback}\`${unit === undefined ? "" : ` ${unit}`}`;
  const cells = [isRequired ? "required" : value, allowed ?? "", readers, meaning];
  return `| \`${name}\` | ${cells.map(escaped).join(" | ")} |`;
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;");
}
