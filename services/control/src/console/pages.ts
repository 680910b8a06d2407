import { existsSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import sirv from "sirv";

/** Where the console's build lies, beside this service. */
const build = join(import.meta.dirname, "../../../console/dist");
const root = "/console/";

/**
 * Serves the console's pages under /console/ and hands every other request on. `edgeUrl` is the gateway's address for
 * clients, which the pages may call besides this one.
 */
export function withPages(api: RequestListener, edgeUrl: string | undefined): RequestListener {
  const headers = pageHeaders(edgeUrl);
  const files = existsSync(build)
    ? sirv(build, {
        single: true,
        etag: true,
        gzip: true,
        brotli: true,
        setHeaders: (response) => void response.setHeaders(headers),
      })
    : undefined;
  return (request, response) => {
    const path = request.url ?? "/";
    if (path === "/" || path === "/console") return redirect(response);
    if (!path.startsWith(root)) return api(request, response);
    if (files === undefined) return notBuilt(response);
    files(withoutRoot(request), response, () => notFound(response));
  };
}

/** Scripts and styles come from here alone; Mantine sets inline styles, never inline scripts. */
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

/** The gateway's origin, for requests and for sessions. */
function originsOf(edgeUrl: string): string {
  const { origin } = new URL(edgeUrl);
  return `${origin} ${origin.replace(/^http/, "ws")}`;
}

function withoutRoot(request: IncomingMessage): IncomingMessage {
  request.url = (request.url ?? root).slice(root.length - 1);
  return request;
}

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: root }).end();
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "text/plain" }).end("There is no such page.\n");
}

function notBuilt(response: ServerResponse): void {
  const say = "The console has not been built. Run `pnpm --filter @modelgate/console build`.\n";
  response.writeHead(503, { "content-type": "text/plain" }).end(say);
}
