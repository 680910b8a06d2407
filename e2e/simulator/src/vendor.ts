import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Behaviour } from "./behaviour.ts";
import type { Form } from "./core/form.ts";
import { Refusal } from "./checks/refusal.ts";
import { writeFile, type ServedFile } from "./core/serve-file.ts";
import { writeBytes, writeStream, type Streamed, type StreamedBytes } from "./stream.ts";

/** A request to a simulated vendor. */
export interface VendorCall {
  readonly method: string;
  /** Below the vendor's prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body's parts, where it is a form. */
  readonly form: Form | undefined;
  /** What the instance's script asks for; absent: what the message asks for, or a good answer. */
  readonly behaviour: Behaviour | undefined;
  readonly response: ServerResponse;
}

/** A simulated vendor: a folder, and a line in `vendors.ts`. */
export interface Vendor {
  readonly prefix: string;
  answer(call: VendorCall): Promise<void>;
}

/** What an endpoint is given. */
export interface Asking {
  /** The caller's key; answers are kept for it alone. */
  readonly key: string;
  /** The vendor's own address, as the caller reached it. */
  readonly address: string;
  /** What the path's groups matched, decoded. */
  readonly groups: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly bytes: Buffer;
  /** The JSON body; undefined where there is none. */
  readonly body: unknown;
  /** The form; undefined for another body. */
  readonly form: Form | undefined;
}

/** A request that was understood, and how it is answered. */
export interface Understood {
  /** What the request's own words ask for. */
  readonly directive?: Behaviour | undefined;
  whole(behaviour: Behaviour): object;
  /** Headers of the whole answer. */
  readonly headers?: AnswerHeaders | undefined;
  /** Absent: the answer comes whole. */
  readonly streamed?: ((behaviour: Behaviour) => Streamed) | undefined;
  /** The answer is a file, of which ranges can be had. */
  readonly file?: (() => ServedFile) | undefined;
  /** The answer is no JSON. */
  readonly bytes?: ((behaviour: Behaviour) => StreamedBytes) | undefined;
}

/** An endpoint: reads strictly, and throws a Refusal for what the vendor would refuse. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  open(asking: Asking): Understood | Promise<Understood>;
}

/** Headers by their lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string>>;

/** What makes one vendor differ from another, apart from its endpoints. */
export interface VendorTraits {
  readonly prefix: string;
  readonly endpoints: readonly Endpoint[];
  /** The caller's key. Throws a Refusal for a caller that the vendor would not admit. */
  admit(call: VendorCall): string;
  /** An error body in the vendor's form; `headers` are those of this answer. */
  renderError(refusal: Refusal, headers: AnswerHeaders, call: VendorCall): object;
  /** Headers of an answer, whatever it is. */
  headers?(): AnswerHeaders;
}

/** A vendor from its traits: admission, routing, faults and errors are the same for all. */
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
        if (behaviour.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, behaviour.delayMs));
        await serve(call, understood, behaviour);
      } catch (error) {
        if (!(error instanceof Refusal) || response.headersSent) throw error;
        answerJson(response, error.status, traits.renderError(error, headers, call));
      }
    },
  };
}

function open({ endpoints, admit }: VendorTraits, call: VendorCall): Understood | Promise<Understood> {
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
        body: call.form === undefined && isJson(call) ? parsed(call.body) : undefined,
        form: call.form,
      });
  }
  throw new Refusal(404, `There is nothing at ${call.method} ${call.path}.`);
}

/** Where the caller reached this vendor, with its prefix. */
function addressOf({ path, headers, response }: VendorCall): string {
  const [reached = ""] = (response.req.url ?? "").split("?");
  return `http://${headers.host ?? "localhost"}${reached.slice(0, reached.length - path.length)}`;
}

async function serve({ response, headers }: VendorCall, understood: Understood, behaviour: Behaviour): Promise<void> {
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

/** A file of audio is no JSON; bytes of no type are where they begin as it does (Amazon's SDK); whatever else comes has to be. */
function isJson({ headers, body }: VendorCall): boolean {
  const type = headers["content-type"] ?? "";
  if (type.includes("octet-stream")) return body.subarray(0, 1).toString() === "{";
  return !/^(?:audio|video)\//.test(type);
}

function parsed(body: Buffer): unknown {
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

/** The key of an `authorization: Bearer` header; empty where there is none. */
export function bearerOf({ authorization }: IncomingHttpHeaders): string {
  return /^Bearer (.*)$/i.exec(authorization ?? "")?.[1] ?? "";
}

/** Returns the key of an `authorization: Bearer` header. Throws the refusal for none, and for a bad one. */
export function admitBearer(headers: IncomingHttpHeaders, message: string, code?: string): string {
  const key = bearerOf(headers);
  if (key === "" || isBadKey(key)) throw new Refusal(401, message, code === undefined ? {} : { code });
  return key;
}

/** A header's text; empty where there is none. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

/** Keys that every vendor refuses. */
export function isBadKey(key: string): boolean {
  return key.startsWith("bad-");
}
