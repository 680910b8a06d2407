import { Failure } from "@modelgate/contracts";

/** Rendered request. Some vendors of transcripts get the file in the body (`bodyOf`). */
interface Rendering {
  readonly dropped: readonly string[];
  bodyOf?(file: { readonly mediaType: string; readonly data: string }): unknown;
}

/** A vendor's side of a wire. The tables pass the request as the target too, because it has the target's members. */
interface Renderer<Request> {
  render(request: Request, target: Request): Rendering;
}

/**
 * Example requests for each field, by the label of a table row, which begins with the field's name in clients'
 * requests. `Always` are fields without examples, because every request has them.
 */
export type FieldExamples<Request, Always extends keyof Request> = {
  readonly [Field in Exclude<keyof Request, Always>]-?: Readonly<
    Record<string, Required<Pick<Request, Field>> & Partial<Request>>
  >;
};

/** Kind of requests, with what its table needs. */
interface KindOfRequest<Request> {
  readonly title: string;
  readonly note?: string;
  readonly wires: Readonly<Record<string, { readonly name: string; readonly vendor?: Renderer<Request> }>>;
  /** Request without optional fields. */
  readonly base: Request;
  readonly fields: { readonly [Field in keyof Request]?: Readonly<Record<string, Partial<Request>>> };
}

/** Returns the table of a kind. */
export function tableOf<Request>(kind: KindOfRequest<Request>): string {
  const { title, note, wires, fields } = kind;
  const vendors = Object.entries(wires).flatMap(([name, { vendor }]) =>
    vendor === undefined ? [] : [{ name, vendor }],
  );
  const names = Object.keys(fields).filter((name): name is keyof Request & string => name in fields);
  const rows = names.flatMap((field) => {
    const columns = vendors.map(({ vendor }) => cellsOf(kind, field, vendor));
    return Object.keys(fields[field] ?? {}).map((label, row) => {
      const cells = columns.map((column) => column[row]);
      return `| ${label.replace(/^[\w.]+/, "`$&`")} | ${cells.join(" | ")} |`;
    });
  });
  return [
    `## ${title}`,
    "",
    ...(note === undefined ? [] : [note, ""]),
    `| field | ${vendors.map(({ name }) => name).join(" | ")} |`,
    `|---|${vendors.map(() => "---").join("|")}|`,
    ...rows,
    "",
  ].join("\n");
}

function cellsOf<Request>(
  { base, fields }: KindOfRequest<Request>,
  field: keyof Request & string,
  vendor: Renderer<Request>,
): readonly string[] {
  const examples = Object.values<Partial<Request>>(fields[field] ?? {}).map((example) => ({
    without: renderingOf(vendor, { ...base, ...example, [field]: base[field] }),
    given: renderingOf(vendor, { ...base, ...example }),
  }));
  // A vendor's default is rendered like an absent field, so examples are also compared with each other.
  const bodies = new Set(examples.flatMap(({ without, given }) => [without?.sent, given?.sent]));
  bodies.delete(undefined);
  return examples.map(({ without, given }) => {
    if (given === undefined) return "**refused**";
    if (without === undefined) return "sent";
    const isDropped = given.dropped.some((name) => !without.dropped.includes(name));
    if (isDropped) return given.sent === without.sent ? "**dropped**" : "in part";
    return bodies.size > 1 ? "sent" : "gateway";
  });
}

interface Sent {
  readonly dropped: readonly string[];
  readonly sent: string;
}

/** Renders a request; undefined if the wire refuses it. */
function renderingOf<Request>(vendor: Renderer<Request>, request: Request): Sent | undefined {
  try {
    const rendered = vendor.render(request, request);
    const { dropped, ...sent } = rendered;
    return { dropped, sent: JSON.stringify([sent, rendered.bodyOf?.({ mediaType: "audio/wav", data: "" })]) };
  } catch (error) {
    if (error instanceof Failure && error.code === "unsupported_parameter") return undefined;
    throw error;
  }
}
