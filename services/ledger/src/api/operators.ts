import {
  saveConfiguration,
  bookOperator,
  bookOperatorKey,
  changeOperator,
  deleteOperatorKey,
  listConfigurations,
  listOperators,
  readConfiguration,
  readOperator,
  readOperatorKeys,
  readVendorKeys,
} from "@modelgate/books";
import { Failure } from "@modelgate/contracts";
import type { OperatorRoutes } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { fieldReaders } from "./body.ts";

const maxVersions = 200;

/** Reference to a vendor key that is stored separately from the configuration. */
const storedKeyReference = /kept:([A-Za-z0-9_-]{1,64})/g;

/** Routes of configuration versions, operators and operator keys, for control. */
export function operatorRoutes(connection: BooksConnection): OperatorRoutes {
  const use: BooksConnection["useDuringMove"] = (step) => connection.useDuringMove(step);
  return {
    "GET /configurations": async ({ query }) => {
      const [limit, before] = [numberIn(query, "limit") ?? maxVersions, numberIn(query, "before")];
      return use((books) => listConfigurations(books, { limit: Math.min(limit, maxVersions), before }));
    },
    "GET /configurations/newest": async ({ query }) =>
      use(async (books) => {
        const configuration = await readConfiguration(books, numberIn(query, "version"));
        if (configuration === undefined) return { configuration: null, keys: [] };
        const ids = [...configuration.document.matchAll(storedKeyReference)].map(([, id = ""]) => id);
        return { configuration, keys: await readVendorKeys(books, [...new Set(ids)]) };
      }),
    "POST /configurations": async ({ body, actor }) => {
      const request = fieldReaders.configuration(body);
      return { saved: (await use((books) => saveConfiguration(books, request, actor))) ?? null };
    },
    "GET /operators": async ({ query }) => {
      const name = query.get("name");
      return use(async (books) => {
        if (name === null) return listOperators(books);
        const found = await readOperator(books, name);
        return found === undefined ? [] : [found];
      });
    },
    "POST /operators": async ({ body, actor }) => {
      const { action, account, after } = fieldReaders.auditEntry(body);
      const newOperator = { name: fieldReaders.text(body, "name"), record: fieldReaders.object(body, "record") };
      return { created: await use((books) => bookOperator(books, newOperator, { actor, action, account, after })) };
    },
    "POST /operators/{name}": async ({ params: { name = "" }, body, actor }) => {
      const { action, account, after } = fieldReaders.auditEntry(body);
      const changedOperator = { name, record: fieldReaders.object(body, "record") };
      const changed = await use((books) => changeOperator(books, changedOperator, { actor, action, account, after }));
      return changed ?? throwNotFound("operator", name);
    },
    "GET /operator-keys": async ({ query }) =>
      use((books) => readOperatorKeys(books, query.get("digest") ?? undefined)),
    "POST /operator-keys": async ({ body, actor }) => {
      const { action, account, after } = fieldReaders.auditEntry(body);
      const key = {
        id: fieldReaders.text(body, "id"),
        digest: fieldReaders.digest(body),
        record: fieldReaders.object(body, "record"),
      };
      await use((books) => bookOperatorKey(books, key, { actor, action, account, after }));
      return {};
    },
    "POST /operator-keys/{id}/delete": async ({ params: { id = "" }, actor }) => {
      const auditEntry = { actor, action: "operator-key.delete", account: "", after: { id } } as const;
      return (await use((books) => deleteOperatorKey(books, id, auditEntry))) ? {} : throwNotFound("key", id);
    },
  };
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const written = query.get(name);
  if (written === null) return undefined;
  if (/^\d{1,9}$/.test(written)) return Number(written);
  throw new Failure("invalid_value", `${name} must be a whole number.`, { param: name });
}

function throwNotFound(kind: string, name: string): never {
  throw new Failure("unknown_url", `There is no ${kind} ${JSON.stringify(name.slice(0, 100))}.`);
}
