import { readVariables } from "@modelgate/platform";
import { namedVariables } from "../configuration/names.ts";
import { problemLines, readConfigurationFile } from "../configuration/read.ts";
import { resolveChannels } from "../configuration/resolve.ts";
import { warningsOf } from "../configuration/warnings.ts";
import type { Command } from "./command.ts";

/** The file where none is named. */
export const demo = "deploy/config/demo.yaml";

/** The configuration file. */
export const configCommands: readonly Command[] = [
  {
    name: "config check",
    summary: "Check a configuration file; nothing need be running.",
    positionals: ["[FILE]"],
    options: {},
    example: "gatectl config check my.yaml",
    async run({ positionals }) {
      const path = positionals[0] ?? readVariables((read) => read.text("MODELGATE_CONFIG", demo, "The file to check."));
      const { configuration, problems = [] } = await readConfigurationFile(path);
      if (configuration === undefined)
        return {
          data: { path, ok: false, problems, warnings: [] },
          text: `${path} is wrong:\n${problemLines(problems)}`,
          exitCode: 1,
        };
      const resolved = await resolveChannels(configuration, namedVariables());
      // The catalogue of prices is large, and no other command needs it.
      const { completeConfiguration } = await import("../configuration/complete.ts");
      const complete = completeConfiguration(configuration, resolved, { lists: new Map(), nowMs: Date.now() });
      const warnings = warningsOf(configuration, complete);
      const found = warnings.length === 0 ? "" : `\nWorth a look:\n${problemLines(warnings)}`;
      return { data: { path, ok: true, problems: [], warnings }, text: `${path} is good.${found}` };
    },
  },
];
