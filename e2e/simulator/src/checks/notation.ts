import { check, type Member, type Node, type ObjectNode } from "./nodes.ts";
import { integer, namedChecks, number, text, type Shape } from "./shape.ts";

const token =
  /(?:\s|\/\/[^\n]*\n)*("[^"]*"|\/(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[su]*|-?\d[\d_]*(?:\.\d+)?|\.{2,3}|\w+|[^\s\w])/gy;

/**
 * Shapes of requests, written like TypeScript types (`Name = type;`). `{ …, ... }` allows further members. In addition:
 * `filled`, `base64`, `number(0, 2)`, `T[1..4]` (length), `/pattern/ "description"`, `record<T>`, and `nullable<{…}>`
 * (optional members may be null).
 */
export class Shapes {
  readonly #nodes: Map<string, Node>;

  /** `more` defines further named checks. Shapes may refer to those of `base`. */
  constructor(source: string, { more = {}, base }: { more?: Readonly<Record<string, Shape>>; base?: Shapes } = {}) {
    this.#nodes = new Map(base === undefined ? [] : base.#nodes);
    for (const [name, one] of Object.entries({ ...(base === undefined ? namedChecks : {}), ...more }))
      this.#nodes.set(name, { kind: "check", check: one });
    const reader = new Reader(source, this.#nodes);
    while (!reader.isAtEnd) reader.definition();
  }

  of(name: string): Shape {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new SyntaxError(`there is no shape ${name}`);
    return (value, path) => check(node, value, path);
  }
}

/** Parses a single shape. */
export function shapeOf(source: string, base?: Shapes): Shape {
  return new Shapes(`It = ${source};`, base === undefined ? {} : { base }).of("It");
}

class Reader {
  readonly #tokens: readonly string[];
  readonly #nodes: Map<string, Node>;
  #at = 0;

  constructor(source: string, nodes: Map<string, Node>) {
    this.#tokens = Array.from(source.trim().matchAll(token), ([, found = ""]) => found);
    this.#nodes = nodes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  definition(): void {
    const name = this.#next();
    this.#expect("=");
    this.#nodes.set(name, this.#type());
    this.#expect(";");
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? "";
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#at] !== word) return false;
    this.#at++;
    return true;
  }

  #expect(word: string): void {
    if (!this.#takes(word))
      throw new SyntaxError(
        `${word} instead of ${this.#tokens.slice(Math.max(0, this.#at - 8), this.#at + 3).join(" ")}`,
      );
  }

  #type(): Node {
    this.#takes("|");
    const of: Node[] = [];
    do of.push(this.#listed());
    while (this.#takes("|"));
    const values = of.flatMap((node) => (node.kind === "enum" ? node.values : []));
    const others = of.filter(({ kind }) => kind !== "enum");
    const all: readonly Node[] = values.length === 0 ? others : [{ kind: "enum", values }, ...others];
    const [only, second] = all;
    return only !== undefined && second === undefined ? only : { kind: "union", of: all };
  }

  #listed(): Node {
    let node = this.#single();
    while (this.#takes("[")) {
      let [min, max] = [0, 1e9];
      if (!this.#takes("]")) {
        min = Number(this.#next());
        this.#expect("..");
        if (!this.#takes("]")) {
          max = Number(this.#next().replaceAll("_", ""));
          this.#expect("]");
        }
      }
      node = { kind: "list", of: node, min, max };
    }
    return node;
  }

  #single(): Node {
    const word = this.#next();
    if (word.startsWith('"')) return { kind: "enum", values: [word.slice(1, -1)] };
    if (word === "{") return this.#object();
    if (word === "(") return this.#until(")");
    if (word.startsWith("/")) {
      const end = word.lastIndexOf("/");
      const pattern = new RegExp(word.slice(1, end), word.slice(end + 1));
      return { kind: "check", check: text(pattern, this.#next().slice(1, -1)) };
    }
    if (word === "null") return { kind: "null" };
    if (word === "record" && this.#takes("<")) return { kind: "record", of: this.#until(">") };
    if (word === "nullable" && this.#takes("<")) return { ...objectOf(this.#until(">")), takesNull: true };
    if ((word === "number" || word === "integer") && this.#takes("(")) {
      const min = this.#number();
      const max = this.#takes(",") ? this.#number() : undefined;
      this.#expect(")");
      return { kind: "check", check: (word === "number" ? number : integer)(min, max) };
    }
    return { kind: "name", find: () => this.#named(word) };
  }

  #until(end: string): Node {
    const node = this.#type();
    this.#expect(end);
    return node;
  }

  #number(): number {
    return Number(this.#next().replaceAll("_", ""));
  }

  #named(name: string): Node {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new SyntaxError(`there is no shape ${name}`);
    return node;
  }

  #object(): ObjectNode {
    const members = new Map<string, Member>();
    let isOpen = false;
    while (!this.#takes("}")) {
      if (this.#takes("...")) {
        if (this.#tokens[this.#at] === "}") isOpen = true;
        else for (const [name, member] of objectOf(this.#named(this.#next())).members) members.set(name, member);
      } else {
        const name = this.#next();
        const isOptional = this.#takes("?");
        this.#expect(":");
        members.set(name, { node: this.#type(), isOptional });
      }
      this.#takes(",");
    }
    return { kind: "object", members, isOpen, takesNull: false };
  }
}

function objectOf(node: Node): ObjectNode {
  if (node.kind !== "object") throw new SyntaxError("an object is needed here");
  return node;
}
