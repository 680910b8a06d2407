import { parse, stringify } from "yaml";

/** Factor by which times become shorter: an hour becomes half a minute. */
export const speedUp = 120;

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Returns the names of all alerts in a file of rules. */
export function alertNames(text: string): readonly string[] {
  const { groups }: RuleFile = parse(text);
  return groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
}

/** Shortens all times in a file of rules: windows, offsets, `for`, and limits in seconds. */
export function shortenRules(text: string): string {
  const { groups }: RuleFile = parse(text);
  const rules = groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: rule.expr
        .replaceAll(
          /(\[|offset )(\d+)([smhd])/g,
          (_, before: string, count: string, unit: string) => before + shortenDuration(count, unit),
        )
        .replaceAll(
          /(_lag_seconds\) > )(\d+)/g,
          (_, before: string, bound: string) => before + Number(bound) / speedUp,
        ),
      ...(rule.for === undefined ? {} : { for: shortenDuration(rule.for.slice(0, -1), rule.for.slice(-1)) }),
    })),
  }));
  return stringify({ groups: rules });
}

function shortenDuration(count: string, unit: string): string {
  return `${Math.round((Number(count) * (seconds[unit] ?? 1) * 1_000) / speedUp)}ms`;
}
