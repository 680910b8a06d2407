import type { Configuration, ConfigurationProblem } from "@modelgate/contracts";
import { variables } from "../env.ts";

/** Variables of modelgate itself: a key or an address that names one would send it to a vendor. */
const own: ReadonlySet<string> = new Set(variables.describe().map(({ name }) => name));

/** Keys and addresses of a configuration from the API that name a variable of modelgate itself. */
export function ownVariableProblems({ channels }: Configuration): readonly ConfigurationProblem[] {
  return channels.flatMap(({ baseUrl = "", keys = [] }, at) => {
    const inAddress = [...baseUrl.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => ({ name, path: "baseUrl" }));
    const inKeys = keys.map((key, index) => ({ name: key.replace(/^env:/, ""), path: `keys[${index}]`, key }));
    return [...inAddress, ...inKeys.filter(({ key }) => key.startsWith("env:"))].flatMap(({ name, path }) =>
      own.has(name)
        ? [
            {
              path: `channels[${at}].${path}`,
              say: `names ${name}, a variable of modelgate itself, which no vendor may see`,
            },
          ]
        : [],
    );
  });
}
