import type { ErrorFormat } from "../failures/render.ts";
import { firstHeader, headerAliases, type IncomingHeaders } from "../headers.ts";
import type { Endpoint } from "./endpoint.ts";
import { actionAlias, deploymentAlias, endpointIds, endpointOf, pathAliases, type EndpointId } from "./table.ts";

/** Result of a look-up by method and path. */
export type FoundEndpoint =
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
const fixedPaths = new Map<string, Map<string, EndpointId>>();
const patterns: Pattern[] = [];
fillTable();

/** Finds the endpoint for a method and a path without its query. Accepts common aliases and one trailing slash. */
export function findEndpoint(method: string, rawPath: string): FoundEndpoint {
  const direct = fixedPaths.get(rawPath)?.get(method);
  if (direct !== undefined) return { kind: "endpoint", id: direct, params: noParams };
  const deployed = deployment.exec(rawPath);
  if (deployed !== null) return findDeployed(method, deployed[2] ?? "", deployed[1]);
  const path = canonicalPath(rawPath);
  if (/\/v1\/+v1/i.test(path))
    return { kind: "double-v1", errors: errorFormatOfPath(path.replace(/\/v1(?=\/+v1)/i, "")) };
  return findFixed(method, path) ?? findPattern(method, path) ?? { kind: "unknown", errors: errorFormatOfPath(path) };
}

const deployment = new RegExp(`^${deploymentAlias.alias.replace("{deployment}", "([^/]+)")}(.+)$`);

/** Finds the endpoint of an Azure path. The deployment's name in the path becomes the parameter `deployment`. */
function findDeployed(method: string, rest: string, name: string | undefined): FoundEndpoint {
  const match = findEndpoint(method, deploymentAlias.path + rest);
  const model = decodeSegment(name);
  if (match.kind !== "endpoint" || model === undefined) return match;
  return { ...match, params: { ...match.params, deployment: model } };
}

/** Returns the path in the form of the table. */
function canonicalPath(rawPath: string): string {
  let path = rawPath === "/jimeng" || rawPath === "/epsilon" ? `${rawPath}/` : rawPath;
  for (const { alias, path: prefix } of pathAliases)
    if (path.startsWith(alias)) path = prefix + path.slice(alias.length);
  return path.length > 1 && path.endsWith("/") && !fixedPaths.has(path) ? path.slice(0, -1) : path;
}

/** End of a path that names an action. Takes linear time: each colon is tried only up to the next one. */
const namedAction = /:[a-z]\w*$/i;

function findFixed(method: string, path: string): FoundEndpoint | undefined {
  const byMethod = fixedPaths.get(path);
  return byMethod === undefined ? undefined : chooseMethod(byMethod, method, path, noParams);
}

function findPattern(method: string, path: string): FoundEndpoint | undefined {
  for (const { shape, names, byMethod } of patterns) {
    const match = shape.exec(path);
    if (match === null) continue;
    const params: Record<string, string> = {};
    for (const [index, name] of names.entries()) {
      const value = decodeSegment(match[index + 1]);
      if (value === undefined) return undefined;
      params[name] = value;
    }
    const matched = chooseMethod(byMethod, method, path, params);
    // `POST /models/name:unknown` is an unknown path, not a wrong method for the model `name:unknown`.
    const isAction = method === "POST" && names.includes("model") && namedAction.test(path);
    return matched.kind === "wrong-method" && isAction ? undefined : matched;
  }
  return undefined;
}

function chooseMethod(
  byMethod: ReadonlyMap<string, EndpointId>,
  method: string,
  path: string,
  params: Readonly<Record<string, string>>,
): FoundEndpoint {
  const id = byMethod.get(method);
  if (id !== undefined) return { kind: "endpoint", id, params };
  return { kind: "wrong-method", allow: [...byMethod.keys()], errors: errorFormatOfPath(path) };
}

function decodeSegment(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Returns the error format that the prefix of a path implies, for a path without a known endpoint. */
export function errorFormatOfPath(rawPath: string): ErrorFormat {
  const path = canonicalPath(rawPath);
  if (
    path.startsWith("/v1beta/") ||
    path.startsWith("/v1/interactions") ||
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

/** Returns the error format for a request to an endpoint. */
export function errorFormatOf(endpoint: Endpoint, from: IncomingHeaders, hasKeyQuery: boolean): ErrorFormat {
  return endpoint.errors === "by-request" ? listFormatOf(from, hasKeyQuery) : endpoint.errors;
}

/**
 * Returns the format of a model list. Anthropic's SDKs may send a Bearer token, so `anthropic-version` has precedence
 * over the headers of keys.
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
    else fixedPaths.set(path, byMethod);
    if (path.startsWith(actionAlias.path))
      patterns.push(patternOf(actionAlias.alias + path.slice(actionAlias.path.length), byMethod));
  }
  // Longer patterns are more specific: `{model}:generateContent` must be tried before `{model}`.
  patterns.sort((left, right) => right.shape.source.length - left.shape.source.length);
}

function patternOf(path: string, byMethod: ReadonlyMap<string, EndpointId>): Pattern {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
  const source = path
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .reduce((left, right, index) => `${left}${names[index - 1] === "model" ? "(.+)" : "([^/]+)"}${right}`);
  return { shape: new RegExp(`^${source}$`), names, byMethod };
}
