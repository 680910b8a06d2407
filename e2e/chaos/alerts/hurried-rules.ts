import { parse, stringify } from "yaml";

/** How much faster than in production time passes for the rules: an hour of theirs is half a minute. */
export const hurry = 120;

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** The names of all alerts of a file of rules. */
export function alertNames(text: string): readonly string[] {
  const { groups }: RuleFile = parse(text);
  return groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
}

/**
 * Shortens every span of time in a file of rules alike: windows, offsets, `for`, and bounds of seconds. What the rules ask
 * for stays as it is, and so do all other bounds.
 */
export function hurried(text: string): string {
  const { groups }: RuleFile = parse(text);
  const rules = groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: rule.expr
        .replaceAll(
          /(\[|offset )(\d+)([smhd])/g,
          (_, before: string, count: string, unit: string) => before + shorter(count, unit),
        )
        .replaceAll(/(_lag_seconds\) > )(\d+)/g, (_, before: string, bound: string) => before + Number(bound) / hurry),
      ...(rule.for === undefined ? {} : { for: shorter(rule.for.slice(0, -1), rule.for.slice(-1)) }),
    })),
  }));
  return stringify({ groups: rules });
}

function shorter(count: string, unit: string): string {
  return `${Math.round((Number(count) * (seconds[unit] ?? 1) * 1_000) / hurry)}ms`;
}
