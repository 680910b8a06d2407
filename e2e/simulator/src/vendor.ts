import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import type { Form } from "./core/form.ts";
import { Refusal } from "./checks/refusal.ts";
import { writeFile, type ServedFile } from "./core/serve-file.ts";
import { untilReleased, writeBytes, writeStream, type Streamed, type StreamedBytes } from "./stream.ts";
import { pause } from "./core/pause.ts";

/** Request to a simulated vendor. */
export interface VendorCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Undefined if the body is not a form. */
  readonly form: Form | undefined;
  /** Behaviour that the test scripted for this request. Without it, a directive in the request's text applies. */
  readonly behaviour: Behaviour | undefined;
  readonly response: ServerResponse;
}

/** Simulated vendor with an HTTP API. */
export interface Vendor {
  readonly prefix: string;
  answer(call: VendorCall): Promise<void>;
}

/** Request to an endpoint, after authentication. */
export interface EndpointCall {
  /** API key of the caller, for which answers are stored. */
  readonly key: string;
  /** Base address of the vendor, as the client has called it. */
  readonly address: string;
  /** Decoded groups of the path's pattern. */
  readonly groups: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
  /** Undefined if the body is not a form. */
  readonly form: Form | undefined;
}

/** Parsed request, and functions that render its answer. */
export interface ParsedRequest {
  /** Behaviour that the request's text requests. */
  readonly directive?: Behaviour | undefined;
  whole(behaviour: Behaviour): object;
  /** Headers of a complete answer. */
  readonly headers?: AnswerHeaders | undefined;
  /** Present if the answer is streamed. */
  readonly streamed?: ((behaviour: Behaviour) => Streamed) | undefined;
  /** Present if the answer is a file, of which ranges can be requested. */
  readonly file?: (() => ServedFile) | undefined;
  /** Present if the answer is not JSON. */
  readonly bytes?: ((behaviour: Behaviour) => StreamedBytes) | undefined;
}

/** Endpoint of a vendor. `open` throws a Refusal for a request that the vendor would refuse. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  open(asking: EndpointCall): ParsedRequest | Promise<ParsedRequest>;
}

export type AnswerHeaders = Readonly<Record<string, string>>;

/** Properties in which simulated vendors differ. */
export interface VendorTraits {
  readonly prefix: string;
  readonly endpoints: readonly Endpoint[];
  /** Returns the API key. Throws a Refusal if there is no valid one. */
  authenticate(call: VendorCall): string;
  renderError(refusal: Refusal, headers: AnswerHeaders, call: VendorCall): object;
  headers?(): AnswerHeaders;
}

/** Creates a vendor. Authentication, routing, faults and errors work the same for all. */
export function createVendor(traits: VendorTraits): Vendor {
  return {
    prefix: traits.prefix,
    async answer(call) {
      const { response, behaviour: scripted } = call;
      const headers = traits.headers?.() ?? {};
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      try {
        const understood = await open(traits, call);
        const behaviour = scripted ?? understood.directive ?? {};
        await waitBeforeHead(response, behaviour);
        await serve(call, understood, behaviour);
      } catch (error) {
        if (!(error instanceof Refusal) || response.headersSent) throw error;
        answerJson(response, error.status, traits.renderError(error, headers, call));
      }
    },
  };
}

/** Waits for the behaviour's delay. It ends early when the name of `waitFor` is released. */
async function waitBeforeHead(response: ServerResponse, { delayMs, waitFor }: Behaviour): Promise<void> {
  if (delayMs === undefined) return;
  const delay = pause(delayMs);
  await (waitFor === undefined ? delay : Promise.race([delay, untilReleased(response, waitFor)]));
}

function open(
  { endpoints, authenticate: admit }: VendorTraits,
  call: VendorCall,
): ParsedRequest | Promise<ParsedRequest> {
  const key = admit(call);
  for (const { method, path, open: openEndpoint } of endpoints) {
    const match = method === call.method ? path.exec(call.path) : null;
    if (match !== null)
      return openEndpoint({
        key,
        address: addressOf(call),
        groups: match.slice(1).map(decodeURIComponent),
        query: call.query,
        headers: call.headers,
        bytes: call.body,
        body: call.form === undefined && isJson(call) ? parseJson(call.body) : undefined,
        form: call.form,
      });
  }
  throw new Refusal(404, `There is nothing at ${call.method} ${call.path}.`);
}

/** Returns the vendor's base address, as the client has called it. */
function addressOf({ path, headers, response }: VendorCall): string {
  const [requestedPath = ""] = (response.req.url ?? "").split("?");
  return `http://${headers.host ?? "localhost"}${requestedPath.slice(0, requestedPath.length - path.length)}`;
}

async function serve(
  { response, headers }: VendorCall,
  understood: ParsedRequest,
  behaviour: Behaviour,
): Promise<void> {
  if (behaviour.closeBeforeHead === true) return void response.socket?.resetAndDestroy();
  if (behaviour.status !== undefined) {
    if (behaviour.retryAfter !== undefined) response.setHeader("retry-after", behaviour.retryAfter);
    throw asRefusal(behaviour.status, behaviour);
  }
  if (behaviour.malformed === true)
    return void response
      .writeHead(200, { "content-type": "application/json" })
      .end("<html>not what you asked for</html>");
  if (understood.streamed !== undefined) return writeStream(response, understood.streamed(behaviour), behaviour);
  if (understood.bytes !== undefined) return writeBytes(response, understood.bytes(behaviour), behaviour);
  if (understood.file !== undefined) return writeFile(response, headers, understood.file());
  await untilReleased(response, behaviour.waitFor);
  const answer = understood.whole(behaviour);
  for (const [name, value] of Object.entries(understood.headers ?? {})) response.setHeader(name, value);
  if (behaviour.closeAfterAccept === true) return void response.socket?.resetAndDestroy();
  answerJson(response, 200, answer);
}

function asRefusal(status: number, { errorCode, errorMessage, retryAfter }: Behaviour): Refusal {
  return new Refusal(status, errorMessage ?? `simulated ${status}`, {
    ...(errorCode !== undefined && { code: errorCode }),
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** Returns true if a body must be JSON. Amazon's SDK sends JSON as bytes (octet-stream). */
function isJson({ headers, body }: VendorCall): boolean {
  const type = headers["content-type"] ?? "";
  if (type.includes("octet-stream")) return body.subarray(0, 1).toString() === "{";
  return !/^(?:audio|video)\//.test(type);
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new Refusal(400, "The body is not valid JSON.");
  }
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    .end(text);
}

/** Returns the key of an `authorization: Bearer` header, or an empty text. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string {
  return /^Bearer (.*)$/i.exec(authorization ?? "")?.[1] ?? "";
}

/** Returns the key as `bearerOf` does. Throws a Refusal for a missing or bad key. */
export function admitBearer(headers: IncomingHttpHeaders, message: string, code?: string): string {
  const key = bearerOf(headers);
  if (key === "" || isBadKey(key)) throw new Refusal(401, message, code === undefined ? {} : { code });
  return key;
}

/** Returns a header; empty if it is absent. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

/** Returns true for keys that every vendor refuses. */
export function isBadKey(key: string): boolean {
  return key.startsWith("bad-");
}
