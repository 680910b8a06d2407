/** Engines of the books, and empty books for one test. Tests of the service that depend on SQL run on each engine. */
export { engines, newBooks } from "../../../libs/books/test/engines.ts";
