import type { Units, UpstreamWire } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import type { StoreDialect } from "./vendor-stores/members.ts";

export interface RequestPath {
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

/** A client's request in the neutral form of its kind. */
export interface Parsed<Request> {
  readonly request: Request;
  /** Optional fields of the client that the neutral form lacks, in the client's spelling. */
  readonly dropped: readonly string[];
}

export interface Rendered {
  readonly body: JsonRecord;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Names of the dropped optional fields: neutral fields, or additional members as the client spelled them. */
  readonly dropped: readonly string[];
}

/** Target of a request, as far as rendering depends on it. */
export interface Target {
  /** Vendor's name of the model. */
  readonly model: string;
}

/** A vendor's answer in the neutral form of its kind. */
export interface WithUsage {
  /** Usage; absent if the vendor reports none, or if `VendorSide.usage` reads it. */
  readonly usage?: Units | undefined;
}

/** An answer's headers, by their lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The vendor side of a wire. A kind adds members (streams, limits, tasks) and may narrow the parameters. */
export interface VendorSide<Request, Answer, Output = Rendered> {
  /** Renders the vendor's request. Throws Failure unsupported_parameter that names a neutral field. */
  render(request: Request, target: Target): Output;
  /** Parses a complete answer. Throws Failure upstream_error if it is not one. Absent: answers are not JSON. */
  parse?(body: JsonRecord, headers: AnswerHeaders): Answer;
  /** Reads the usage without parsing the rest of the answer; undefined if the vendor reports none. */
  usage?(body: JsonRecord, headers: AnswerHeaders): Units | undefined;
  /** Returns the id by which an unfinished answer is polled. Absent: answers are always finished. */
  taskOf?(body: JsonRecord): string | undefined;
  /** True if a request starts a task. A task is paid for once, so its request must not be sent twice. */
  readonly startsTask?: true;
  /** Creates the reader of a stream; upstream_error for an unreadable frame. Absent: no streams. */
  stream?(): { read(frame: Frame): unknown };
}

/** The client side of a wire. A kind adds its own members, and may narrow the parameters. */
export interface ClientSide<Request, Answer, Context, Output = JsonRecord> {
  /** Checks and parses a client's request. Throws Failure (400) naming the wrong field. */
  read(body: unknown, path: RequestPath): Parsed<Request>;
  /** Renders a complete answer. Throws Failure upstream_error for an answer that does not fit the request. */
  render(answer: Answer, context: Context): Output;
  /** Renders a complete answer as a stream, for a vendor that did not stream. Absent: no streams. */
  renderStream?(answer: Answer, context: Context): string;
  /** Creates the writer of a stream. Absent: streams are only forwarded, or written by `renderStream`. */
  stream?(context: Context): { write(event: never): string };
  /** Spelling of the neutral form's fields on this wire, for failures and `x-modelgate-dropped`. */
  readonly spelling: Readonly<Partial<Record<string, string>>>;
  /** Members that determine what a call may do and what it costs. A body is refused if one of them is ambiguous. */
  readonly inspectedMembers: readonly string[];
  /** Members that name objects in a vendor's store, in bodies and in answers. Absent: those of `plainDialect`. */
  readonly stores?: StoreDialect;
}

/**
 * One wire format of one kind (text, vectors, images, …). Without `client`, only vendors use the format; without
 * `vendor`, only clients do. Pure and synchronous. The index of each kind registers its wires in `wires`.
 */
export interface Wire<Vendor extends object, Client extends object = never, Pass extends object = never> {
  readonly name: string;
  readonly vendor?: Vendor;
  readonly client?: Client;
  /** Forwards answers unchanged, between a client and a vendor of this same wire. */
  readonly pass?: Pass;
}

/** Returns a vendor wire of a kind. Throws Error for a wire of another kind, and for one that only clients speak. */
export function vendorWire<Vendor, Pass = unknown>(
  wires: Readonly<Record<string, { readonly name: string; readonly vendor?: Vendor; readonly pass?: Pass }>>,
  name: UpstreamWire,
): { readonly name: UpstreamWire; readonly vendor: Vendor; readonly pass: Pass | undefined } {
  const { vendor, pass } = Object.hasOwn(wires, name) ? (wires[name] ?? {}) : {};
  if (vendor === undefined) throw new Error(`${name} is not a wire of vendors of this kind`);
  return { name, vendor, pass };
}
