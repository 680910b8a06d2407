import { readTasks } from "@modelgate/books";
import { Failure, oneOfPredicate, TaskState } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { encodeCursor, readLimit, readPosition } from "./cursor.ts";

const [defaultRows, maxRows] = [100, 1_000];

/** Routes of video tasks in the books. */
export function taskRoutes(connection: BooksConnection): OperatorRoutes {
  return {
    "GET /tasks": async ({ query }) => {
      const limit = readLimit(query, defaultRows, maxRows);
      const word = (name: string): string | undefined => query.get(name) ?? undefined;
      const filter = {
        account: word("account"),
        model: word("model"),
        channel: word("channel"),
        state: stateIn(query),
      };
      const position = readPosition(query);
      const after =
        position === undefined ? undefined : { at: position.at, account: position.account, task: position.id };
      const { tasks, next } = await connection.use((books) => readTasks(books, filter, { limit, after }));
      return { tasks, next: next === undefined ? null : encodeCursor({ ...next, id: next.task }) };
    },
  };
}

function stateIn(query: URLSearchParams): TaskState | undefined {
  const requested = query.get("state");
  if (requested === null) return undefined;
  const states = TaskState.anyOf.map((schema) => schema.const);
  const state = states.find((candidate) => candidate === requested);
  if (state !== undefined) return state;
  throw new Failure("invalid_value", `state ${oneOfPredicate(states)}.`, { param: "state" });
}
