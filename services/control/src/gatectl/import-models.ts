import { parseDocument, YAMLMap, YAMLSeq } from "yaml";
import { field } from "../field.ts";

/** Configuration with imported models. */
export interface ImportResult {
  readonly text: string;
  readonly added: readonly string[];
  /** Models that the configuration already had. */
  readonly known: readonly string[];
  /** Models without a known price, which were left out. */
  readonly unpriced: readonly string[];
}

/**
 * Adds the models that a channel's vendor lists to a configuration, with their prices. Leaves out existing models and
 * those without a known price.
 */
export function importModels(text: string, channel: string, listed: readonly unknown[]): ImportResult {
  const document = parseDocument(text);
  const [added, known, unpriced]: [string[], string[], string[]] = [[], [], []];
  const served = servedBy(document.get("channels"), channel);
  for (const row of listed) {
    const name = field(row, "name");
    if (typeof name !== "string") continue;
    const price = field(row, "price");
    if (document.hasIn(["models", name])) known.push(name);
    else if (price === null || price === undefined) unpriced.push(name);
    else {
      const contextTokens = field(row, "contextTokens");
      const context = typeof contextTokens === "number" ? { contextTokens } : {};
      const model = document.createNode({ kind: field(row, "kind"), price, ...context });
      const from = field(row, "from");
      if (typeof from === "string") model.commentBefore = ` ${from}`;
      document.setIn(["models", name], model);
      if (served instanceof YAMLSeq) served.add(name);
      else if (served instanceof YAMLMap) served.set(name, name);
      added.push(name);
    }
  }
  return { text: added.length === 0 ? text : document.toString({ lineWidth: 0 }), added, known, unpriced };
}

/** Returns the YAML node of a channel's models. */
function servedBy(channels: unknown, id: string): unknown {
  if (!(channels instanceof YAMLSeq)) return undefined;
  const items: readonly unknown[] = channels.items;
  const found = items.find((channel) => channel instanceof YAMLMap && channel.get("id") === id);
  return found instanceof YAMLMap ? found.get("models") : undefined;
}
