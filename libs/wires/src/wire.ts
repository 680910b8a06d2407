import type { Units } from "@modelgate/contracts";
import type { JsonRecord } from "./json/fields.ts";

/** Parts of a client's request that its path holds, where the body leaves them out. */
export interface RequestPath {
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

/** A client's request in the neutral form of its kind. */
export interface Parsed<Request> {
  readonly request: Request;
  /** Hints of the client that the neutral form does not hold, in the client's spelling. */
  readonly dropped: readonly string[];
}

/** A request in a vendor's wire. */
export interface Rendered {
  readonly body: JsonRecord;
  /** Hints left out: fields of the neutral form, or members of another wire in its own spelling. */
  readonly dropped: readonly string[];
}

/** The upstream, as far as rendering depends on it. */
export interface Target {
  /** The vendor's name of the model. */
  readonly model: string;
}

/** An answer's headers, by their lower-case names. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The side of a wire that vendors speak. A kind adds members that only it needs (streams, bounds of one request, how a
 * task begins) and may narrow the parameters.
 */
export interface VendorSide<Request, Answer> {
  /**
   * Renders the vendor's request. Throws Failure unsupported_parameter, its `param` a field of the neutral form, for what
   * changes the meaning and cannot be expressed.
   */
  render(request: Request, target: Target): Rendered;
  /** Parses a complete answer. Throws Failure upstream_error for any other body. */
  parse(body: JsonRecord, headers: AnswerHeaders): Answer;
  /** Reads the reported usage without parsing the answer. Returns undefined where the vendor reports none. */
  usage?(body: JsonRecord, headers: AnswerHeaders): Units | undefined;
}

/** The side of a wire that clients speak. A kind adds members that only it needs: streams, stores, bounds. */
export interface ClientSide<Request, Answer, Context, Output = JsonRecord> {
  /** Checks and parses a client's request. Throws Failure (400) naming the field that is wrong. */
  read(body: unknown, path: RequestPath): Parsed<Request>;
  /** Renders a complete answer. Throws Failure upstream_error for an answer that does not fit the request. */
  render(answer: Answer, context: Context): Output;
  /** Spelling of the fields of the neutral form on this wire, for failures and `x-modelgate-dropped`. */
  readonly spelling: Readonly<Partial<Record<string, string>>>;
  /** Members that decide what a call may do and cost: parsers must not be able to read them in two ways. */
  readonly relied: readonly string[];
}

/**
 * One wire format of one kind (text, vectors, images, …). A wire may lack a side: without `client` only vendors speak it,
 * without `vendor` only clients do. Pure and synchronous; no wire knows another. The index of a kind has its
 * registry `wires`, with a line for each wire.
 */
export interface Wire<Vendor extends object, Client extends object = never, Pass extends object = never> {
  readonly name: string;
  readonly vendor?: Vendor;
  readonly client?: Client;
  /** Forwarding of answers as they came, between a client and a vendor of this same wire. */
  readonly pass?: Pass;
}

/**
 * Finds a wire of vendors in the registry of its kind. Throws Error for a wire of another kind, and for one that only
 * clients speak.
 */
export function vendorWire<Vendor>(
  wires: Readonly<Record<string, { readonly name: string; readonly vendor?: Vendor }>>,
  name: string,
): { readonly name: string; readonly vendor: Vendor } {
  const wire = Object.hasOwn(wires, name) ? wires[name] : undefined;
  if (wire?.vendor === undefined) throw new Error(`${name} is not a wire of vendors of this kind`);
  return { name, vendor: wire.vendor };
}
