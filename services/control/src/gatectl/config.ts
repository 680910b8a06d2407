import { readFile } from "node:fs/promises";
import type { ResolvedChannel } from "@modelgate/catalog";
import type { ConfigurationProblem } from "@modelgate/contracts";
import { readVariables } from "@modelgate/platform";
import { environmentVariables, resolveChannels } from "../configuration/resolve.ts";
import { problemLines, readConfigurationFile } from "../configuration/read.ts";
import { warningsOf } from "../configuration/warnings.ts";
import { field } from "../field.ts";
import { CommandFailed } from "./server.ts";
import {
  requiredPositional,
  positionalInPath,
  UsageError,
  type Arguments,
  type Command,
  type Output,
} from "./command.ts";
import { fieldCell, renderTable, timeCell, type Column } from "./table.ts";

/** Default configuration file. */
export const defaultFile = "deploy/config/demo.yaml";

const lineSigns: Readonly<Record<string, string>> = { removed: "-", added: "+" };

function confirmRestore({ confirm }: Arguments, version: unknown): Promise<boolean> {
  const back = field(version, "back");
  const lines = Array.isArray(back)
    ? back.map((line) => `${lineSigns[fieldCell("kind")(line)] ?? " "} ${fieldCell("text")(line)}`)
    : [];
  return confirm(`${lines.join("\n")}\nRestore version ${fieldCell("version")(version)}?`);
}

/** Renders the result of a change. The exit status is 1 if it was refused. */
function changeOutput(data: unknown): Output {
  const [problems, warnings] = ["problems", "warnings"].map((name) => problemsIn(field(data, name)));
  if (problems !== undefined && problems.length > 0)
    return { data, text: `Not saved:\n${problemLines(problems)}`, exitCode: 1 };
  const [version, copy] = [field(data, "version"), field(data, "copy")];
  const warningsText = warnings === undefined || warnings.length === 0 ? "" : `\nWarnings:\n${problemLines(warnings)}`;
  if (typeof copy === "string")
    return {
      data,
      text: `The configuration is a file (MODELGATE_CONFIG). Copy this into it.${warningsText}\n\n${copy}`,
      exitCode: 1,
    };
  return {
    data,
    text:
      typeof version === "number"
        ? `Saved as version ${version}.${warningsText}`
        : `The configuration is valid.${warningsText}`,
  };
}

function problemsIn(value: unknown): readonly { readonly path: string; readonly message: string }[] {
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  return rows.map((row) => ({ path: String(field(row, "path")), message: String(field(row, "message")) }));
}

async function checkVendorsOf(channels: readonly ResolvedChannel[]): Promise<readonly ConfigurationProblem[]> {
  // Imported here, because other commands need no vendor client.
  const [{ openTransport }, { checkVendors }] = await Promise.all([
    import("@modelgate/channels"),
    import("../configuration/check-vendors.ts"),
  ]);
  const transport = openTransport();
  try {
    return await checkVendors(channels, transport);
  } finally {
    await transport[Symbol.asyncDispose]();
  }
}

const versionColumns: readonly Column[] = [
  ["VERSION", fieldCell("version")],
  ["TIME", timeCell("time")],
  ["AUTHOR", fieldCell("actor")],
  ["NOTE", fieldCell("note")],
];

/** Commands for the configuration: checks of a file, and the configuration in the books. */
export const configCommands: readonly Command[] = [
  {
    name: "config check",
    summary:
      "Check a configuration file, without a running server. With --ask, it also checks the keys with free calls to the vendors.",
    positionals: ["[FILE]"],
    options: {},
    flags: {
      ask: "ask every vendor to check the keys, the region and the clock, and list its models (free of charge)",
    },
    example: "gatectl config check my.yaml --ask",
    async run({ positionals, flags }) {
      const path =
        positionals[0] ?? readVariables((read) => read.text("MODELGATE_CONFIG", defaultFile, "The file to check."));
      const { configuration, problems = [] } = await readConfigurationFile(path);
      if (configuration === undefined)
        return {
          data: { path, ok: false, problems, warnings: [] },
          text: `${path} has errors:\n${problemLines(problems)}`,
          exitCode: 1,
        };
      const resolved = await resolveChannels(configuration, environmentVariables());
      // Imported here, because the price catalogue is large.
      const { completeConfiguration } = await import("../configuration/complete.ts");
      const complete = completeConfiguration(configuration, resolved, { lists: new Map(), nowMs: Date.now() });
      const warnings = warningsOf(configuration, complete);
      const refused = flags.has("ask") ? await checkVendorsOf(resolved) : [];
      const warningsText = warnings.length === 0 ? "" : `\nWarnings:\n${problemLines(warnings)}`;
      if (refused.length > 0)
        return {
          data: { path, ok: false, problems: refused, warnings },
          text: `${path} is valid, but a vendor refuses it:\n${problemLines(refused)}${warningsText}`,
          exitCode: 1,
        };
      return { data: { path, ok: true, problems: [], warnings }, text: `${path} is valid.${warningsText}` };
    },
  },
  {
    name: "config export",
    summary: "Print the current configuration as YAML, without vendor keys.",
    positionals: ["[VERSION]"],
    options: {},
    example: "gatectl config export > modelgate.yaml",
    async run({ positionals: [version] }, server) {
      const path = version === undefined ? "/configuration" : `/configuration/versions/${encodeURIComponent(version)}`;
      const data = await server.get(path);
      const document = field(data, "document");
      return { data, text: typeof document === "string" ? document.trimEnd() : "" };
    },
  },
  {
    name: "config import",
    summary: "Check a configuration file and save it as the newest version.",
    positionals: ["FILE"],
    options: {
      note: "note for the history",
      "based-on": "version that the file is based on; if there is a newer one, nothing is saved (default: the newest)",
    },
    example: "gatectl config import modelgate.yaml --note 'a second key'",
    async run(args, server) {
      const path = requiredPositional(args, 0, "FILE");
      const document = await readFile(path, "utf8").catch((error: unknown) => {
        throw new CommandFailed(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
      });
      const { note, "based-on": version } = args.options;
      const basedOn = version === undefined ? undefined : Number(version);
      if (basedOn !== undefined && !Number.isSafeInteger(basedOn))
        throw new UsageError("--based-on must be the number of a version");
      return changeOutput(await server.post("/configuration", { document, note, basedOn }));
    },
  },
  {
    name: "config history",
    summary: "List versions of the configuration, newest first.",
    positionals: [],
    options: {},
    example: "gatectl config history",
    async run(_, server) {
      const data = await server.get("/configuration/versions");
      return { data, text: renderTable(data, versionColumns, "no versions: the configuration is a file") };
    },
  },
  {
    name: "config rollback",
    summary: "Save an earlier version as the newest one.",
    positionals: ["VERSION"],
    options: {},
    flags: { yes: "do not ask for confirmation (without a terminal, there is no question)" },
    example: "gatectl config rollback 3",
    async run(args, server) {
      const path = `/configuration/versions/${positionalInPath(args, 0, "VERSION")}`;
      if (!args.flags.has("yes") && !args.json && !(await confirmRestore(args, await server.get(path))))
        throw new CommandFailed("Nothing was changed.");
      return changeOutput(await server.post(`${path}/restore`));
    },
  },
];
