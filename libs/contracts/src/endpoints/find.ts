import type { ErrorFormat } from "../failures/render.ts";
import { firstHeader, headerAliases, type IncomingHeaders } from "../headers.ts";
import type { Endpoint } from "./endpoint.ts";
import { actionAlias, deploymentAlias, endpointIds, endpointOf, pathAliases, type EndpointId } from "./table.ts";

/** Result of looking up a method and path. */
export type Found =
  | { readonly kind: "endpoint"; readonly id: EndpointId; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "wrong-method"; readonly allow: readonly string[]; readonly errors: ErrorFormat }
  | { readonly kind: "double-v1"; readonly errors: ErrorFormat }
  | { readonly kind: "unknown"; readonly errors: ErrorFormat };

interface Pattern {
  readonly shape: RegExp;
  readonly names: readonly string[];
  readonly byMethod: ReadonlyMap<string, EndpointId>;
}

const noParams: Readonly<Record<string, string>> = {};
const fixed = new Map<string, Map<string, EndpointId>>();
const patterns: Pattern[] = [];
fillTable();

/**
 * Returns the endpoint for a method and a path (without query). Common aliases and one trailing slash are accepted; a
 * doubled /v1 is distinguished from an unknown path. Model names may contain slashes.
 */
export function findEndpoint(method: string, rawPath: string): Found {
  const direct = fixed.get(rawPath)?.get(method);
  if (direct !== undefined) return { kind: "endpoint", id: direct, params: noParams };
  const deployed = deployment.exec(rawPath);
  if (deployed !== null) return findDeployed(method, deployed[2] ?? "", deployed[1]);
  const path = canonical(rawPath);
  if (/\/v1\/+v1/i.test(path))
    return { kind: "double-v1", errors: errorFormatOfPath(path.replace(/\/v1(?=\/+v1)/i, "")) };
  return findFixed(method, path) ?? findPattern(method, path) ?? { kind: "unknown", errors: errorFormatOfPath(path) };
}

const deployment = new RegExp(`^${deploymentAlias.alias.replace("{deployment}", "([^/]+)")}(.+)$`);

/** Finds the endpoint of a path that names a deployment, and adds the deployment to its parameters. */
function findDeployed(method: string, rest: string, name: string | undefined): Found {
  const found = findEndpoint(method, deploymentAlias.path + rest);
  const model = decoded(name);
  if (found.kind !== "endpoint" || model === undefined) return found;
  return { ...found, params: { ...found.params, deployment: model } };
}

/**
 * Returns the path in the table's form: alias prefixes are replaced, and a trailing slash is removed if the table has
 * none.
 */
function canonical(rawPath: string): string {
  let path = rawPath === "/jimeng" || rawPath === "/epsilon" ? `${rawPath}/` : rawPath;
  for (const { alias, path: prefix } of pathAliases)
    if (path.startsWith(alias)) path = prefix + path.slice(alias.length);
  return path.length > 1 && path.endsWith("/") && !fixed.has(path) ? path.slice(0, -1) : path;
}

const namedAction = /\/models\/.+:[a-z]\w*$/i;

function findFixed(method: string, path: string): Found | undefined {
  const byMethod = fixed.get(path);
  return byMethod === undefined ? undefined : choose(byMethod, method, path, noParams);
}

function findPattern(method: string, path: string): Found | undefined {
  for (const { shape, names, byMethod } of patterns) {
    const match = shape.exec(path);
    if (match === null) continue;
    const params: Record<string, string> = {};
    for (const [at, name] of names.entries()) {
      const value = decoded(match[at + 1]);
      if (value === undefined) return undefined;
      params[name] = value;
    }
    const found = choose(byMethod, method, path, params);
    // An unknown action must not be taken for a part of the model's name.
    const isAction = method === "POST" && names.includes("model") && namedAction.test(path);
    return found.kind === "wrong-method" && isAction ? undefined : found;
  }
  return undefined;
}

function choose(
  byMethod: ReadonlyMap<string, EndpointId>,
  method: string,
  path: string,
  params: Readonly<Record<string, string>>,
): Found {
  const id = byMethod.get(method);
  if (id !== undefined) return { kind: "endpoint", id, params };
  return { kind: "wrong-method", allow: [...byMethod.keys()], errors: errorFormatOfPath(path) };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the error format of a path without an endpoint, or whose endpoint is not known yet, by the API format of its
 * prefix.
 */
export function errorFormatOfPath(rawPath: string): ErrorFormat {
  const path = canonical(rawPath);
  if (
    path.startsWith("/v1beta/") ||
    path.startsWith("/upload/v1beta/") ||
    path.startsWith("/ws/google.") ||
    /^\/v1\/models\/.+:/.test(path)
  )
    return "gamma";
  if (path.startsWith("/v1/messages")) return "alpha";
  if (path.startsWith("/delta/") || path.startsWith("/v1/video/")) return "task";
  if (path.startsWith("/api/")) return "ollama";
  return path.startsWith("/epsilon/") ? "epsilon" : "common";
}

/**
 * Returns the error format of an endpoint for one request: for model lists it depends on the client (interface endpoint
 * 1).
 */
export function errorFormatOf(endpoint: Endpoint, from: IncomingHeaders, hasKeyQuery: boolean): ErrorFormat {
  return endpoint.errors === "by-request" ? listFormatOf(from, hasKeyQuery) : endpoint.errors;
}

/**
 * Returns the format of model list that a request expects (interface endpoint 1), which is also the format of its
 * errors. The header `anthropic-version` is sufficient, because Anthropic's SDKs may send their key as a Bearer token.
 */
export function listFormatOf(from: IncomingHeaders, hasKeyQuery: boolean): "common" | "alpha" | "gamma" {
  if (firstHeader(from, ["anthropic-version"]) !== undefined) return "alpha";
  if (firstHeader(from, ["x-api-key"]) !== undefined && firstHeader(from, headerAliases.alphaVersion) !== undefined)
    return "alpha";
  return hasKeyQuery || firstHeader(from, headerAliases.gammaKey) !== undefined ? "gamma" : "common";
}

function fillTable(): void {
  const byPath = new Map<string, Map<string, EndpointId>>();
  for (const id of endpointIds) {
    const { path, method } = endpointOf(id);
    byPath.set(path, (byPath.get(path) ?? new Map<string, EndpointId>()).set(method, id));
  }
  for (const [path, byMethod] of byPath) {
    if (path.includes("{")) patterns.push(patternOf(path, byMethod));
    else fixed.set(path, byMethod);
    if (path.startsWith(actionAlias.path))
      patterns.push(patternOf(actionAlias.alias + path.slice(actionAlias.path.length), byMethod));
  }
  // Longer patterns are more specific: `{model}:generateContent` is tried before `{model}`.
  patterns.sort((left, right) => right.shape.source.length - left.shape.source.length);
}

function patternOf(path: string, byMethod: ReadonlyMap<string, EndpointId>): Pattern {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  const source = path
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .reduce((left, right, at) => `${left}${names[at - 1] === "model" ? "(.+)" : "([^/]+)"}${right}`);
  return { shape: new RegExp(`^${source}$`), names, byMethod };
}
