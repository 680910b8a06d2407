import { Compile } from "typebox/compile";
import { Settings } from "typebox/system";
import { keyProblems } from "./keys.ts";
import { nameProblems, shown } from "./names.ts";
import { Configuration, type ConfigurationProblem } from "./schema.ts";
import { modelPaths, routingProblems } from "./routing.ts";
import { parseDecimal, toScale } from "../money/decimal.ts";
import { nanosOf } from "../money/nanos.ts";
import { multiplierDecimals, priceDecimals, type WrittenPrice } from "../money/price.ts";
import { schemaWords } from "../schema-words.ts";

const shape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)))?$/;

/**
 * Parses a time that an operator wrote, to Unix ms: a date (its beginning in UTC), or a date and a time with a time
 * zone, as in `2030-01-01T00:00:00Z`. Undefined for anything else: a time without a zone would depend on the machine,
 * and a day that does not exist in its month would be moved to the next month.
 */
export function parseTime(written: string): number | undefined {
  const [, day, time = "00:00Z"] = shape.exec(written) ?? [];
  if (day === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const moment = Date.parse(`${day}T${time}`);
  return Number.isNaN(moment) ? undefined : moment;
}

/** A valid configuration, or all of its problems. */
export type CheckedConfiguration =
  | { readonly configuration: Configuration; readonly problems?: never }
  | { readonly configuration?: never; readonly problems: readonly ConfigurationProblem[] };

/** Maximum schema errors that are listed; TypeBox's default of 8 would hide some from the operator. */
const maxShapeErrors = 256;
Settings.Set({ maxErrors: maxShapeErrors });

const schema = Compile(Configuration);

/** Checks the schema first, then the references between the parts. The environment is not read here. */
export function checkConfiguration(value: unknown): CheckedConfiguration {
  if (!schema.Check(value)) return { problems: shapeProblems(value) };
  const problems = [
    ...nameProblems(value),
    ...priceProblems(value),
    ...channelProblems(value),
    ...routingProblems(value),
    ...keyProblems(value),
    ...accountProblems(value),
  ];
  return problems.length > 0 ? { problems } : { configuration: value };
}

/** Returns one problem per path: the most specific one that the schema reports there. */
function shapeProblems(value: unknown): readonly ConfigurationProblem[] {
  const found = new Map<string, string>();
  for (const error of schema.Errors(value)) {
    if (error.keyword === "required") {
      for (const name of missingNames(error.params)) found.set(joined(error.instancePath, name), "is missing");
    }
    if (silent.has(error.keyword)) continue;
    const path = joined(error.instancePath);
    const before = found.get(path);
    const message = schemaWords(error);
    // Each branch of a union reports a message: "must be array, or must be object".
    if (before === undefined) found.set(path, message);
    else if (error.keyword === "type" && before.startsWith("must be") && before !== message)
      found.set(path, `${before}, or ${message}`);
  }
  return [...found].filter(([path]) => !isUnionAbove(path, found)).map(([path, message]) => ({ path, message }));
}

/**
 * Returns whether a problem only says that a value does not fit one branch of a union, while the branch that it was
 * written for has a problem too.
 */
function isUnionAbove(path: string, found: ReadonlyMap<string, string>): boolean {
  if (found.get(path)?.startsWith("must be ") !== true) return false;
  return [...found.keys()].some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[`));
}

/** Keywords of errors that repeat a more specific error. */
const silent: ReadonlySet<string> = new Set(["required", "additionalProperties", "anyOf"]);

function missingNames(params: object): readonly string[] {
  if (!("requiredProperties" in params) || !Array.isArray(params.requiredProperties)) return [];
  return params.requiredProperties.map(String);
}

/** Returns the path of a problem; a name for the file if the problem concerns all of it. */
function joined(pointer: string, last?: string): string {
  return fieldPath(pointer, last) || "(file)";
}

function* priceProblems({ models, groups }: Configuration): Iterable<ConfigurationProblem> {
  for (const [name, { kind, price = {} }] of Object.entries(models)) {
    if (price === "auto") continue;
    const { resolutions, ...usual } = price;
    const path = `models.${name}.price`;
    yield* decimalProblems(path, usual);
    if (resolutions !== undefined && kind !== "video")
      yield { path: `${path}.resolutions`, message: "is for models of kind video" };
    for (const [resolution, price] of Object.entries(resolutions ?? {}))
      yield* decimalProblems(`${path}.resolutions.${resolution}`, price);
  }
  for (const [name, { multiplier = 1, limits = {} }] of Object.entries(groups)) {
    yield* budgetProblems(`groups.${name}.limits`, limits);
    if (!fits(() => toScale(parseDecimal(multiplier), multiplierDecimals))) {
      yield { path: `groups.${name}.multiplier`, message: `has more than ${multiplierDecimals} decimal places` };
    }
  }
}

function* decimalProblems(path: string, price: WrittenPrice): Iterable<ConfigurationProblem> {
  const { tiers = [], serviceTiers = {}, tools = {}, ...usual } = price;
  yield* dollarProblems(path, usual);
  yield* dollarProblems(`${path}.tools`, tools);
  for (const [at, { above, ...other }] of tiers.entries()) {
    yield* dollarProblems(`${path}.tiers[${at}]`, other);
    if (tiers.findIndex((tier) => tier.above === above) < at)
      yield { path: `${path}.tiers[${at}].above`, message: `is used twice: ${above}` };
  }
  for (const [name, factor] of Object.entries(serviceTiers))
    if (!fits(() => toScale(parseDecimal(factor), multiplierDecimals)))
      yield { path: `${path}.serviceTiers.${name}`, message: `has more than ${multiplierDecimals} decimal places` };
}

function* dollarProblems(
  path: string,
  prices: Readonly<Record<string, number | undefined>>,
): Iterable<ConfigurationProblem> {
  for (const [field, dollars = 0] of Object.entries(prices))
    if (!fits(() => toScale(parseDecimal(dollars), priceDecimals)))
      yield { path: `${path}.${field}`, message: `has more than ${priceDecimals} decimal places` };
}

function* budgetProblems(
  path: string,
  { dollarsPerDay = 0, dollarsPerMonth = 0 }: { dollarsPerDay?: number; dollarsPerMonth?: number },
): Iterable<ConfigurationProblem> {
  for (const [field, dollars] of Object.entries({ dollarsPerDay, dollarsPerMonth }))
    if (!fits(() => nanosOf(dollars))) yield { path: `${path}.${field}`, message: "has more than 9 decimal places" };
}

function fits(compute: () => unknown): boolean {
  try {
    compute();
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a test whether a model may exist. Models that a vendor lists are unknown here, so any name is then possible.
 */
function mayExist({ channels, models }: Pick<Configuration, "channels" | "models">): (model: string) => boolean {
  const isListed = channels.some((channel) => channel.models === "*");
  return (model) => isListed || Object.hasOwn(models, model);
}

function* channelProblems({ channels, models, groups }: Configuration): Iterable<ConfigurationProblem> {
  const isServed = mayExist({ channels, models });
  const seen = new Set<string>();
  for (const [at, channel] of channels.entries()) {
    if (seen.has(channel.id)) yield { path: `channels[${at}].id`, message: `is used twice: ${channel.id}` };
    seen.add(channel.id);
    for (const { model, path } of modelPaths(channel))
      if (!Object.hasOwn(models, model))
        yield { path: `channels[${at}].${path}`, message: `is not in models: ${shown(model)}` };
    for (const [index, group] of (channel.groups ?? []).entries()) {
      if (!Object.hasOwn(groups, group))
        yield { path: `channels[${at}].groups[${index}]`, message: `is not in groups: ${shown(group)}` };
    }
  }
  for (const [name, group] of Object.entries(groups)) {
    for (const [index, model] of group.models.entries()) {
      if (model !== "*" && !isServed(model))
        yield { path: `groups.${name}.models[${index}]`, message: `is not in models: ${shown(model)}` };
    }
  }
}

function* accountProblems({ accounts = {}, groups, models, channels }: Configuration): Iterable<ConfigurationProblem> {
  const isServed = mayExist({ channels, models });
  const keys = new Set<string>();
  for (const [id, account] of Object.entries(accounts)) {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id))
      yield { path: `accounts.${id}`, message: "is not a usable account id" };
    for (const [at, token] of (account.tokens ?? []).entries()) {
      const path = `accounts.${id}.tokens[${at}]`;
      // The key is never repeated, because this text is written to logs and terminals.
      if (keys.has(token.key)) yield { path: `${path}.key`, message: "is used twice" };
      keys.add(token.key);
      if (!Object.hasOwn(groups, token.group))
        yield { path: `${path}.group`, message: `is not in groups: ${shown(token.group)}` };
      if (token.expiresAt !== undefined && parseTime(token.expiresAt) === undefined)
        yield {
          path: `${path}.expiresAt`,
          message: "is not a date, or a date and time with its zone: 2030-01-01T00:00:00Z",
        };
      yield* budgetProblems(`${path}.budget`, token.budget ?? {});
      for (const [index, model] of (token.models ?? []).entries()) {
        if (!isServed(model)) yield { path: `${path}.models[${index}]`, message: `is not in models: ${shown(model)}` };
      }
    }
  }
}

/**
 * Returns the path of a field as people and vendors write it: the JSON pointer `/messages/0/content`, with one more
 * step if given, becomes `messages[0].content`; the complete document is "".
 */
export function fieldPath(pointer: string, last?: string): string {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (last !== undefined) steps.push(last);
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}
