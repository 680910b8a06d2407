import { pathToFileURL } from "node:url";
import { builtProgram } from "@modelgate/build";

/** Runs gatectl from the bundle. */
await import(pathToFileURL(builtProgram("gatectl")).href);
