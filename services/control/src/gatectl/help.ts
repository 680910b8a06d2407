import type { Command } from "./command.ts";

/** Returns the overview of all commands, one per line. */
export function renderOverview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "gatectl: the operator's command line of modelgate",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "Every command takes --json (one JSON document on stdout) and --help.",
    "CONTROL_URL and MODELGATE_SECRET name the server. Without them, gatectl uses the server of a running `npm start`.",
  ].join("\n");
}

export function helpOf({ name, summary, positionals, options, flags = {}, example }: Command): string {
  const entries = [
    ...Object.entries(options).map(
      ([option, message]) =>
        [`--${option.replace("!", "")} VALUE`, option.endsWith("!") ? `${message} (required)` : message] as const,
    ),
    ...Object.entries(flags).map(([flag, message]) => [`--${flag}`, message] as const),
  ];
  const width = Math.max(0, ...entries.map(([option]) => option.length));
  return [
    `gatectl ${[name, ...positionals].join(" ")}${entries.length > 0 ? " [options]" : ""}`,
    `  ${summary}`,
    ...(entries.length > 0 ? ["", ...entries.map(([option, message]) => `  ${option.padEnd(width)}  ${message}`)] : []),
    "",
    `Example: ${example}`,
  ].join("\n");
}
