/** An entry of a list. */
export interface Listed {
  /** Removes the entry from the list. Returns whether it was still in it. */
  remove(): boolean;
}

/** An entry of a list, with its neighbours. */
class ListMember<Value> implements Listed {
  readonly value: Value;
  previous: ListMember<Value> | undefined;
  next: ListMember<Value> | undefined;
  #list: OpenList<Value> | undefined;

  constructor(value: Value, list: OpenList<Value>) {
    this.value = value;
    this.previous = list.last;
    this.next = undefined;
    this.#list = list;
    if (list.last === undefined) list.first = this;
    else list.last.next = this;
    list.last = this;
    list.size++;
  }

  /** Removes the entry, and clears its references, because garbage must not keep its neighbours in memory. */
  remove(): boolean {
    const list = this.#list;
    if (list === undefined) return false;
    const { previous, next } = this;
    if (previous === undefined) list.first = next;
    else previous.next = next;
    if (next === undefined) list.last = previous;
    else next.previous = previous;
    this.previous = this.next = this.#list = undefined;
    list.size--;
    return true;
  }
}

/**
 * List of open objects, oldest first; entries are added and removed with calls. A Set would keep garbage in memory:
 * when its table grows, the old table refers to the new one and to every entry at that time. Once an old table is in
 * the old generation, V8 keeps every later call until its next major collection.
 */
export class OpenList<Value> implements Iterable<Value> {
  /** First and last entry; entries refer to their neighbours. */
  first: ListMember<Value> | undefined;
  last: ListMember<Value> | undefined;
  size = 0;

  /** Adds an entry at the end. */
  add(value: Value): Listed {
    return new ListMember(value, this);
  }

  /** Iterates over the entries, oldest first; any of them may be removed meanwhile. */
  [Symbol.iterator](): Iterator<Value> {
    const values: Value[] = [];
    for (let member = this.first; member !== undefined; member = member.next) values.push(member.value);
    return values.values();
  }
}
