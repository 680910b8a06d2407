import type { ConfigurationProblem, Configuration } from "./schema.ts";

const longestName = 200;

/** Lists invalid names of groups and models: they are the keys of a map, which the schema does not check. */
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

/** Returns the path of an entry; a name that would be hard to read is quoted. */
function pathOf(map: string, name: string): string {
  return `${map}.${JSON.stringify(name.slice(0, longestName))}`;
}

/** Returns a name for a message; a name that looks like an API key is not repeated. */
export function shown(name: string): string {
  return /^(?:sk-|AIza)/.test(name) ? "(a key)" : name;
}
