import type { ConfigurationProblem, Configuration } from "./schema.ts";

const maxNameCharacters = 200;

/** Returns the invalid names of groups and models. The schema does not check the keys of maps. */
export function* nameProblems({ groups, models }: Configuration): Iterable<ConfigurationProblem> {
  for (const name of Object.keys(groups))
    if (!isValidName(name)) yield { path: pathOf("groups", name), message: invalidNameMessage };
  for (const name of Object.keys(models)) {
    if (!isValidName(name)) yield { path: pathOf("models", name), message: invalidNameMessage };
    if (name === "*") yield { path: "models.*", message: 'cannot be a model\'s name: "*" means all models' };
  }
}

const invalidNameMessage = `is not a valid name: use 1 to ${maxNameCharacters} characters, no control characters, and no white space at either end`;

function isValidName(name: string): boolean {
  return name !== "" && name.length <= maxNameCharacters && name.trim() === name && !/\p{Cc}/u.test(name);
}

function pathOf(map: string, name: string): string {
  return `${map}.${JSON.stringify(name.slice(0, maxNameCharacters))}`;
}

/** Returns a name for a message. A name that looks like an API key is replaced. */
export function redactedName(name: string): string {
  return /^(?:sk-|AIza)/.test(name) ? "(a key)" : name;
}
