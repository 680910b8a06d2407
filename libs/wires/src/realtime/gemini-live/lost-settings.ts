import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { isSaid, otherMembers } from "../said-members.ts";
import { audioOf, speaks, speechOf, type Settings } from "./settings.ts";

/** What of each part of the settings the vendor is sent, or has already. */
const sayable = {
  detection: ["type", "prefix_padding_ms", "silence_duration_ms", "interrupt_response", "create_response"],
  function: ["type", "name", "description", "parameters"],
};

/**
 * The settings of a session that the vendor lacks, as paths within the event: the session goes on without them. What would
 * change an answer more than this is refused.
 */
export function lostSettings(settings: Settings): readonly string[] {
  const input = recordIn(audioOf(settings)["input"]);
  const output = recordIn(audioOf(settings)["output"]);
  const detection = recordIn(input["turn_detection"]);
  const tools = Array.isArray(settings["tools"]) ? settings["tools"].filter(isRecord) : [];
  const lost = [
    ...only("tracing", settings["tracing"], null),
    ...only("truncation", settings["truncation"], "auto"),
    ...only("audio.input.noise_reduction", input["noise_reduction"], null),
    // It writes by itself, in whatever language it hears.
    ...otherMembers("audio.input.transcription", recordIn(input["transcription"]), []),
    ...only("audio.input.turn_detection.type", detection["type"], "server_vad"),
    ...otherMembers("audio.input.turn_detection", detection, sayable.detection),
    ...only("audio.output.speed", output["speed"], 1),
    ...(speaks(settings) && speechOf(output["voice"]) === undefined
      ? only("audio.output.voice", output["voice"], "default")
      : []),
    ...tools.flatMap((tool) => otherMembers("tools", tool, sayable.function)),
  ];
  return [...new Set(lost.map((path) => `session.${path}`))];
}

/** The path of a setting, unless it is left out or says what is so anyway. */
function only(path: string, value: unknown, usual: unknown): readonly string[] {
  return !isSaid(value) || value === usual ? [] : [path];
}

function recordIn(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}
