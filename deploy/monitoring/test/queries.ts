import { parser } from "@prometheus-io/lezer-promql";

/** Metric in an expression: its name, and the labels that are matched. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Returns the metrics in a PromQL expression. Throws SyntaxError. Accepts Grafana's interval variable. */
export function selectorsIn(expression: string): readonly Selector[] {
  const text = expression.replaceAll("$__rate_interval", "5m");
  const found: { metric: string; labels: string[] }[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) throw new SyntaxError(`no PromQL at ${from}: ${text}`);
      const word = text.slice(from, to);
      if (type.name === "VectorSelector") {
        const name = node.getChild("Identifier");
        found.push({ metric: name === null ? "" : text.slice(name.from, name.to), labels: [] });
      }
      if (type.name === "LabelName" && node.parent?.type.name.endsWith("LabelMatcher")) found.at(-1)?.labels.push(word);
    },
  });
  return found;
}

/** Returns the labels by which an expression groups. */
export function groupedBy(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
}
