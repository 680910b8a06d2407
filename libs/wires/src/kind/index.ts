import { Failure, type SchemaError, type Units } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "../json/fields.ts";
import { firstProblem } from "../json/problem.ts";
import type { AnswerHeaders, ClientSide, Parsed, VendorSide, Wire } from "../wire.ts";

/** Size of a request, as admission needs it. Each kind measures its neutral form with `sizeOf`. */
export interface InputSize {
  /** UTF-8 bytes of all that is text to the model. */
  readonly textBytes: number;
  /** Upper bound of the tokens of everything else: images, and input that came as tokens. */
  readonly mediaTokens: number;
  /** Maximum of output tokens; undefined where the request sets no bound. */
  readonly maxOutputTokens: number | undefined;
}

/** The request that an answer is rendered for. */
export interface WholeContext<Request> {
  /** The model's name as the client wrote it. */
  readonly model: string;
  readonly request: Request;
  /** An id for wires whose answers have one and vendors that give none. */
  readonly answerId: string;
  /** The gateway's own count of input tokens, for wires that must report it where the vendor did not. */
  readonly inputTokens: number;
}

/** The vendor side of a kind that answers in one piece: its usage is reported in the answer. */
export interface WholeVendor<Request, Answer> extends VendorSide<Request, Answer> {
  usage(body: JsonRecord, headers: AnswerHeaders): Units | undefined;
}

/** The client side of such a kind. */
export type WholeClient<Request, Answer> = ClientSide<Request, Answer, WholeContext<Request>>;

/** A wire of a kind that answers in one piece: vectors, ranking, moderation. */
export type WholeWire<
  Request,
  Answer,
  Vendor extends WholeVendor<Request, Answer> = WholeVendor<Request, Answer>,
> = Wire<Vendor, WholeClient<Request, Answer>>;

/** Counts the UTF-8 bytes of texts, with a margin for the tokens that models put around each. */
export function bytesOfTexts(texts: Iterable<string>): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text) + bytesAround;
  return bytes;
}

/** A model marks the begin and the end of a text by a token each; a token is at least two bytes. */
const bytesAround = 4;

/** A compiled schema. */
interface CompiledSchema {
  Check(value: unknown): boolean;
  Errors(value: unknown): Iterable<SchemaError>;
}

/**
 * Parses a client's body and checks it against its published schema. The parser goes first, since it names what is wrong
 * with one of many alternatives better than a schema can. Throws Failure (400) naming the field.
 */
export function readChecked<Request>(
  body: unknown,
  shape: CompiledSchema,
  parse: (body: JsonRecord) => Parsed<Request>,
): Parsed<Request> {
  if (!isRecord(body)) throw firstProblem(shape.Errors(body), body);
  const parsed = parse(body);
  if (!shape.Check(body)) throw firstProblem(shape.Errors(body), body);
  return parsed;
}

/** Reads a vendor's answer field by field. Throws Failure upstream_error for a wrong field: the client is not at fault. */
export function readVendor<Result>(body: unknown, read: (fields: Fields) => Result): Result {
  try {
    return read(new Fields(body));
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.code === "upstream_error") throw cause;
    throw new Failure("upstream_error", `The vendor's answer cannot be read: ${cause.message}`, { cause });
  }
}
