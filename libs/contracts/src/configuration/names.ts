import type { ConfigurationProblem, Configuration } from "./schema.ts";

const longestName = 200;

/** Groups and models are named by the keys of a map, which the schema leaves open. */
export function* nameProblems({ groups, models }: Configuration): Iterable<ConfigurationProblem> {
  for (const name of Object.keys(groups)) if (!isName(name)) yield { path: pathOf("groups", name), message: noName };
  for (const name of Object.keys(models)) {
    if (!isName(name)) yield { path: pathOf("models", name), message: noName };
    if (name === "*") yield { path: "models.*", message: 'cannot be a model\'s name: "*" stands for all of them' };
  }
}

const noName = `is no name: it has 1 to ${longestName} characters, none of them a control, and no white space around it`;

function isName(name: string): boolean {
  return name !== "" && name.length <= longestName && name.trim() === name && !/\p{Cc}/u.test(name);
}

/** A name that would be hard to read in a line is shown in quotes. */
function pathOf(map: string, name: string): string {
  return `${map}.${JSON.stringify(name.slice(0, longestName))}`;
}

/** A name as a message may repeat it: a key that is where a name should be is not repeated. */
export function shown(name: string): string {
  return /^(?:sk-|AIza)/.test(name) ? "(a key)" : name;
}
