import { existsSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import { readBuild, serveFile, type BuiltFiles } from "./files.ts";

const defaultBuild = join(import.meta.dirname, "../../../console/dist");
const root = "/console/";

/** Serves the console's pages, and passes other requests to `api`. The pages may also call `edgeUrl`. */
export function withPages(api: RequestListener, edgeUrl: string | undefined, build = defaultBuild): RequestListener {
  const headers = pageHeaders(edgeUrl);
  let files: BuiltFiles | undefined;
  return (request, response) => {
    const path = request.url ?? "/";
    if (path === "/" || path === "/console") return redirect(response);
    if (!path.startsWith(root)) return api(request, response);
    if (files === undefined && !existsSync(build)) return notBuilt(response);
    files ??= readBuild(build);
    response.setHeaders(headers);
    if (!serveFile(files, pathBelow(path), request, response)) notFound(response);
    return undefined;
  };
}

/** Forbids browsers and proxies to store API answers or guess their types. */
export function withoutCaching(api: RequestListener): RequestListener {
  return (request, response) => {
    response.setHeader("cache-control", "no-store").setHeader("x-content-type-options", "nosniff");
    api(request, response);
  };
}

/** Returns the headers of pages. Mantine needs inline styles; inline scripts are forbidden. */
function pageHeaders(edgeUrl: string | undefined): Map<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${edgeUrl === undefined ? "" : ` ${originsOf(edgeUrl)}`}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return new Map([
    ["content-security-policy", policy.join("; ")],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
  ]);
}

function originsOf(edgeUrl: string): string {
  const { origin } = new URL(edgeUrl);
  return `${origin} ${origin.replace(/^http/, "ws")}`;
}

function pathBelow(path: string): string {
  return path.slice(root.length).split(/[?#]/)[0] ?? "";
}

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: root }).end();
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "text/plain" }).end("There is no such page.\n");
}

function notBuilt(response: ServerResponse): void {
  const message = "The console has not been built. Run `pnpm --filter @modelgate/console build`.\n";
  response.writeHead(503, { "content-type": "text/plain" }).end(message);
}
