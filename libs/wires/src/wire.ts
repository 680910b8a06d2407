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
  /** Optional fields that the neutral form lacks, as the client spells them. */
  readonly dropped: readonly string[];
}

export interface Rendered {
  readonly body: JsonRecord;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Names of dropped optional fields, in the neutral form or as the client spelled them. */
  readonly dropped: readonly string[];
}

/** Target for which a request is rendered. */
export interface Target {
  /** Vendor's name of the model. */
  readonly model: string;
}

/** Member of a neutral answer that contains its usage. */
export interface WithUsage {
  /** Usage of the answer; absent if the vendor reports none, or if `VendorSide.usage` reads it. */
  readonly usage?: Units | undefined;
}

/** An answer's headers by their lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The vendor side of a wire. A kind adds members and may narrow the parameters. */
export interface VendorSide<Request, Answer, Output = Rendered> {
  /** Renders the vendor's request. Throws Failure unsupported_parameter with the name of a neutral field. */
  render(request: Request, target: Target): Output;
  /** Parses a complete JSON answer. Throws Failure upstream_error for any other body. */
  parse?(body: JsonRecord, headers: AnswerHeaders): Answer;
  usage?(body: JsonRecord, headers: AnswerHeaders): Units | undefined;
  /** Returns the id by which an unfinished answer is polled. */
  taskOf?(body: JsonRecord): string | undefined;
  /** True if a request starts a task. Such a request must not be sent twice, because each task is paid for. */
  readonly startsTask?: true;
  /** Creates the reader of a stream, which throws Failure upstream_error for an unreadable frame. */
  stream?(): { read(frame: Frame): unknown };
}

/** The client side of a wire. A kind adds members and may narrow the parameters. */
export interface ClientSide<Request, Answer, Context, Output = JsonRecord> {
  /** Checks and parses a client's request. Throws Failure (400). */
  read(body: unknown, path: RequestPath): Parsed<Request>;
  /** Renders a complete answer. Throws Failure upstream_error for an answer that does not fit the request. */
  render(answer: Answer, context: Context): Output;
  /** Renders a complete answer as a stream, for a vendor that did not stream. */
  renderStream?(answer: Answer, context: Context): string;
  stream?(context: Context): { write(event: never): string };
  /** Names of the neutral form's fields on this wire. */
  readonly spelling: Readonly<Partial<Record<string, string>>>;
  /** Members that determine what a call may do and what it costs. A body in which one is ambiguous is refused. */
  readonly inspectedMembers: readonly string[];
  /** Rules for finding objects in a vendor's store. The default is `plainDialect`. */
  readonly stores?: StoreDialect;
}

/** A wire format of one kind, such as images. Without `client` or `vendor`, only the other side uses it. */
export interface Wire<Vendor extends object, Client extends object = never, Pass extends object = never> {
  readonly name: string;
  readonly vendor?: Vendor;
  readonly client?: Client;
  /** Forwards answers, and for some kinds also requests, between a client and a vendor of this wire. */
  readonly pass?: Pass;
}

/** Returns a wire of vendors. Throws Error for any other name. */
export function vendorWire<Vendor, Pass = unknown>(
  wires: Readonly<Record<string, { readonly name: string; readonly vendor?: Vendor; readonly pass?: Pass }>>,
  name: UpstreamWire,
): { readonly name: UpstreamWire; readonly vendor: Vendor; readonly pass: Pass | undefined } {
  const { vendor, pass } = Object.hasOwn(wires, name) ? (wires[name] ?? {}) : {};
  if (vendor === undefined) throw new Error(`${name} is not a wire of vendors of this kind`);
  return { name, vendor, pass };
}
