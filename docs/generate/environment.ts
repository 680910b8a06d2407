import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../..");

interface Variable {
  readonly read: (text: string | undefined) => unknown;
}

/** Writes the reference of environment variables, from what each service declares and the comments beside it. */
export async function environmentPage(): Promise<string> {
  const words = comments();
  const rows = new Map<string, { readonly defaults: Map<string, string[]> }>();
  for (const file of globSync("services/*/src/env.ts", { cwd: root }).sort()) {
    const service = basename(dirname(dirname(file)));
    const { variables }: { variables: Readonly<Record<string, Variable>> } = await import(
      pathToFileURL(join(root, file)).href
    );
    for (const [name, { read }] of Object.entries(variables)) {
      const { defaults } = rows.get(name) ?? { defaults: new Map() };
      rows.set(name, { defaults });
      const shown = defaultOf(read);
      defaults.set(shown, [...(defaults.get(shown) ?? []), service]);
    }
  }
  const services = new Set([...rows.values()].flatMap(({ defaults }) => [...defaults.values()].flat()));
  const lines = [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { defaults }]) => {
      const readers = [...defaults.values()].flat();
      const all = readers.length === services.size;
      const shown =
        defaults.size === 1
          ? [...defaults.keys()].join()
          : [...defaults].map(([value, of]) => `${value} (${of.join(", ")})`).join("; ");
      return `| \`${name}\` | ${shown} | ${all ? "all" : readers.join(", ")} | ${(words.get(name) ?? "").replaceAll("|", "\\|")} |`;
    });
  return [
    "# Environment",
    "",
    "Every variable that a service reads, written from the services' own declarations. A wrong value ends the start with one",
    "line that names each wrong variable, and status 78. `npm start` and the images set addresses and ports themselves.",
    "",
    "| variable | default | read by | meaning |",
    "|---|---|---|---|",
    ...lines,
    "",
  ].join("\n");
}

/** What a variable is where it is unset. */
function defaultOf(read: Variable["read"]): string {
  try {
    const value = read(undefined);
    if (value === undefined) return "unset";
    return value === "" ? "empty" : `\`${String(value)}\``;
  } catch {
    return "required";
  }
}

/** What stands beside the declaration of each variable. */
function comments(): ReadonlyMap<string, string> {
  const files = ["services/*/src/env.ts", "libs/platform/src/env.ts", "libs/relay/src/**/*.ts"].flatMap((pattern) =>
    globSync(pattern, { cwd: root }),
  );
  const found = new Map<string, string>();
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, comment = "", name = ""] of text.matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*([A-Z][A-Z0-9_]+): variable/g,
    ))
      found.set(
        name,
        comment
          .replaceAll(/\s*\n\s*\*\s?/g, " ")
          .trim()
          .replaceAll("<", "&lt;")
          .replaceAll("{", "&#123;"),
      );
  }
  return found;
}
