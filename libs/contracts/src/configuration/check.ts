import { isAccountId } from "../account-ids.ts";
import { parseAddressRange } from "./address-range.ts";
import { Settings } from "typebox/system";
import { keyProblems } from "./keys.ts";
import { nameProblems, redactedName } from "./names.ts";
import { Configuration, type ConfigurationProblem } from "./schema.ts";
import { headerProblems } from "./request-headers.ts";
import { proxyProblems } from "./proxies.ts";
import { modelPaths, routingProblems } from "./routing.ts";
import { parseDecimal, toScale } from "../money/decimal.ts";
import { dollarsToNanos } from "../money/nanos.ts";
import { validatorOf } from "../validator.ts";
import { multiplierDecimals, priceDecimals, type ConfiguredPrice } from "../money/price.ts";
import { schemaPredicate } from "../schema-words.ts";

const timeShape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)))?$/;

/** Parses a date or a time with a zone to Unix ms. JavaScript would accept days that do not exist. */
export function parseTime(text: string): number | undefined {
  const [, day, time = "00:00Z"] = timeShape.exec(text) ?? [];
  if (day === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00Z`);
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const moment = Date.parse(`${day}T${time}`);
  return Number.isNaN(moment) ? undefined : moment;
}

/** A valid configuration, or the list of its problems. */
export type CheckedConfiguration =
  | { readonly configuration: Configuration; readonly problems?: never }
  | { readonly configuration?: never; readonly problems: readonly ConfigurationProblem[] };

/** TypeBox's default of 8 would hide some errors. */
const maxSchemaErrors = 256;
Settings.Set({ maxErrors: maxSchemaErrors });

const schema = validatorOf(Configuration);

/** Checks a configuration: first its schema, then everything that the schema cannot express. */
export function checkConfiguration(value: unknown): CheckedConfiguration {
  if (!schema.Check(value)) return { problems: schemaProblems(value) };
  const problems = [
    ...nameProblems(value),
    ...priceProblems(value),
    ...channelProblems(value),
    ...routingProblems(value),
    ...keyProblems(value),
    ...proxyProblems(value),
    ...headerProblems(value),
    ...accountProblems(value),
  ];
  return problems.length > 0 ? { problems } : { configuration: value };
}

function schemaProblems(value: unknown): readonly ConfigurationProblem[] {
  const messages = new Map<string, string>();
  for (const error of schema.Errors(value)) {
    if (error.keyword === "required") {
      for (const name of missingNames(error.params)) messages.set(problemPath(error.instancePath, name), "is missing");
    }
    if (repeatingKeywords.has(error.keyword)) continue;
    const path = problemPath(error.instancePath);
    const before = messages.get(path);
    const message = schemaPredicate(error);
    // A union reports one error for each branch, such as "must be array" and "must be object".
    if (before === undefined) messages.set(path, message);
    else if (error.keyword === "type" && before.startsWith("must be") && before !== message)
      messages.set(path, `${before}, or ${message}`);
  }
  return [...messages].filter(([path]) => !isUnionAbove(path, messages)).map(([path, message]) => ({ path, message }));
}

/** Returns true if the value at a path has a wrong type, and a value inside it has a more precise problem. */
function isUnionAbove(path: string, messages: ReadonlyMap<string, string>): boolean {
  if (messages.get(path)?.startsWith("must be ") !== true) return false;
  return [...messages.keys()].some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[`));
}

/** Schema keywords whose errors only repeat a more specific error. */
const repeatingKeywords: ReadonlySet<string> = new Set(["required", "additionalProperties", "anyOf"]);

function missingNames(params: object): readonly string[] {
  if (!("requiredProperties" in params) || !Array.isArray(params.requiredProperties)) return [];
  return params.requiredProperties.map(String);
}

function problemPath(pointer: string, last?: string): string {
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
    if (!succeeds(() => toScale(parseDecimal(multiplier), multiplierDecimals))) {
      yield { path: `groups.${name}.multiplier`, message: `has more than ${multiplierDecimals} decimal places` };
    }
  }
}

function* decimalProblems(path: string, price: ConfiguredPrice): Iterable<ConfigurationProblem> {
  const { tiers = [], serviceTiers = {}, tools = {}, ...usual } = price;
  yield* dollarProblems(path, usual);
  yield* dollarProblems(`${path}.tools`, tools);
  for (const [index, { above, ...other }] of tiers.entries()) {
    yield* dollarProblems(`${path}.tiers[${index}]`, other);
    if (tiers.findIndex((tier) => tier.above === above) < index)
      yield { path: `${path}.tiers[${index}].above`, message: `is used twice: ${above}` };
  }
  for (const [name, factor] of Object.entries(serviceTiers))
    if (!succeeds(() => toScale(parseDecimal(factor), multiplierDecimals)))
      yield { path: `${path}.serviceTiers.${name}`, message: `has more than ${multiplierDecimals} decimal places` };
}

function* dollarProblems(
  path: string,
  prices: Readonly<Record<string, number | undefined>>,
): Iterable<ConfigurationProblem> {
  for (const [field, dollars = 0] of Object.entries(prices))
    if (!succeeds(() => toScale(parseDecimal(dollars), priceDecimals)))
      yield { path: `${path}.${field}`, message: `has more than ${priceDecimals} decimal places` };
}

function* addressProblems(path: string, ranges: readonly string[]): Iterable<ConfigurationProblem> {
  for (const [at, range] of ranges.entries())
    if (parseAddressRange(range) === undefined)
      yield { path: `${path}[${at}]`, message: "is not an IP address or a CIDR range, as in 10.0.0.0/8" };
}

function* budgetProblems(
  path: string,
  { dollarsPerDay = 0, dollarsPerMonth = 0 }: { dollarsPerDay?: number; dollarsPerMonth?: number },
): Iterable<ConfigurationProblem> {
  for (const [field, dollars] of Object.entries({ dollarsPerDay, dollarsPerMonth }))
    if (!succeeds(() => dollarsToNanos(dollars)))
      yield { path: `${path}.${field}`, message: "has more than 9 decimal places" };
}

function succeeds(compute: () => unknown): boolean {
  try {
    compute();
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a function that returns true if a model may exist. Any name may, if a channel serves all models that its
 * vendor lists.
 */
function makeMayExist({ channels, models }: Configuration): (model: string) => boolean {
  const servesAny = channels.some((channel) => channel.models === "*");
  return (model) => servesAny || Object.hasOwn(models, model);
}

function* channelProblems(configuration: Configuration): Iterable<ConfigurationProblem> {
  const { channels, models, groups } = configuration;
  const mayExist = makeMayExist(configuration);
  const seen = new Set<string>();
  for (const [position, channel] of channels.entries()) {
    if (seen.has(channel.id)) yield { path: `channels[${position}].id`, message: `is used twice: ${channel.id}` };
    seen.add(channel.id);
    for (const { model, path } of modelPaths(channel))
      if (!Object.hasOwn(models, model))
        yield { path: `channels[${position}].${path}`, message: `is not in models: ${redactedName(model)}` };
    for (const [index, group] of (channel.groups ?? []).entries()) {
      if (!Object.hasOwn(groups, group))
        yield { path: `channels[${position}].groups[${index}]`, message: `is not in groups: ${redactedName(group)}` };
    }
  }
  for (const [name, group] of Object.entries(groups)) {
    for (const [index, model] of group.models.entries()) {
      if (model !== "*" && !mayExist(model))
        yield { path: `groups.${name}.models[${index}]`, message: `is not in models: ${redactedName(model)}` };
    }
  }
}

function* accountProblems(configuration: Configuration): Iterable<ConfigurationProblem> {
  const { accounts = {}, groups } = configuration;
  const mayExist = makeMayExist(configuration);
  const keys = new Set<string>();
  for (const [id, account] of Object.entries(accounts)) {
    if (!isAccountId(id)) yield { path: `accounts.${id}`, message: "is not a usable account id" };
    for (const [position, token] of (account.tokens ?? []).entries()) {
      const path = `accounts.${id}.tokens[${position}]`;
      // The key is never quoted, because this text is written to logs and terminals.
      if (keys.has(token.key)) yield { path: `${path}.key`, message: "is used twice" };
      keys.add(token.key);
      if (!Object.hasOwn(groups, token.group))
        yield { path: `${path}.group`, message: `is not in groups: ${redactedName(token.group)}` };
      if (token.expiresAt !== undefined && parseTime(token.expiresAt) === undefined)
        yield {
          path: `${path}.expiresAt`,
          message: "is not a date, or a date and time with its zone: 2030-01-01T00:00:00Z",
        };
      yield* addressProblems(`${path}.allowedAddresses`, token.allowedAddresses ?? []);
      yield* budgetProblems(`${path}.budget`, token.budget ?? {});
      for (const [index, model] of (token.models ?? []).entries()) {
        if (!mayExist(model))
          yield { path: `${path}.models[${index}]`, message: `is not in models: ${redactedName(model)}` };
      }
    }
  }
}

/** Converts a JSON pointer to the form that people use: `/messages/0/content` becomes `messages[0].content`. */
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
