import type { DeclaredVariable } from "@modelgate/contracts";
import { describeVariables } from "@modelgate/deploy/reference";

/** A variable with the services that read it as it is described. */
interface Row {
  readonly variable: DeclaredVariable;
  readonly services: readonly string[];
}

/** Writes the reference of environment variables, from what each service declares. */
export async function environmentPage(): Promise<string> {
  // The simulator is a vendor, no part of the gateway.
  const described = (await describeVariables()).filter(({ service }) => service !== "simulator");
  const rows = new Map<string, Row>();
  for (const { service, variables } of described)
    for (const variable of variables) {
      const key = JSON.stringify([variable.name, variable.fallback, variable.allowed]);
      const services = [...(rows.get(key)?.services ?? []), service];
      rows.set(key, { variable, services });
    }
  const lines = [...rows.values()]
    .sort((a, b) => a.variable.name.localeCompare(b.variable.name))
    .map(({ variable, services }) =>
      lineOf(variable, services.length === servicesOf(described) ? "all" : services.join(", ")),
    );
  return [
    "# Environment",
    "",
    "Every variable that a service reads, written from the services' own declarations; `gateway` is the program that runs",
    "several of them, each with its own variables. A wrong value ends the start with one line that names each wrong variable, and status 78. `npm start` and the images set addresses and ports themselves.",
    "",
    "| variable | default | allowed | read by | meaning |",
    "|---|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

/** How many services there are: the gateway runs them, and reads what it runs. */
function servicesOf(described: readonly { readonly service: string }[]): number {
  return described.filter(({ service }) => service !== "gateway").length;
}

function lineOf({ name, fallback, isRequired, unit, allowed, meaning }: DeclaredVariable, readers: string): string {
  const value =
    fallback === undefined || fallback === "" ? "unset" : `\`${fallback}\`${unit === undefined ? "" : ` ${unit}`}`;
  const cells = [`\`${name}\``, isRequired ? "required" : value, allowed ?? "", readers, meaning];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;")).join(" | ")} |`;
}
