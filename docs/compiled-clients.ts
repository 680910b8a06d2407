import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand, lastLine } from "./run-command.ts";

/** Client in a compiled language. Its page contains a complete program. */
interface CompiledClient {
  readonly language: string;
  /** Returns the project's files by path. */
  files(program: string): Readonly<Record<string, string>>;
  /** Commands in the project's folder. The last one runs the program. */
  readonly commands: readonly (readonly [command: string, ...args: string[]])[];
  /** Command that prints the client's version. */
  readonly version: readonly [command: string, ...args: string[]];
}

const goModule = "github.com/openai/openai-go/v3";
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sample</groupId>
  <artifactId>sample</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>com.openai</groupId>
      <artifactId>openai-java</artifactId>
      <version>RELEASE</version>
    </dependency>
  </dependencies>
</project>
`;

/** Clients in Go and Java by page. */
export const compiledClients: Readonly<Record<string, CompiledClient>> = {
  "openai-go": {
    language: "go",
    files: (program) => ({ "main.go": program, "go.mod": "module sample\n\ngo 1.24\n" }),
    commands: [
      ["go", "get", `${goModule}@latest`],
      ["go", "run", "."],
    ],
    version: ["go", "list", "-m", "-f", "openai-go {{.Version}}", goModule],
  },
  "openai-java": {
    language: "java",
    files: (program) => ({ "src/main/java/Sample.java": program, "pom.xml": pom }),
    commands: [
      ["mvn", "-q", "-B", "-U", "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath"],
      ["sh", "-c", 'java -cp "target/classes:$(cat classpath)" Sample'],
    ],
    version: ["sed", "-E", "s/.*openai-java-([0-9][0-9.]*)\\.jar.*/openai-java \\1/", "classpath"],
  },
};

const commandMs = 600_000;

/** Compiles and runs a program. Returns its output and version. Throws Error with a command's last line. */
export async function runCompiled(
  folder: string,
  { files, commands, version }: CompiledClient,
  program: string,
): Promise<{ readonly output: string; readonly version: string }> {
  for (const [path, text] of Object.entries(files(program))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const outputs: string[] = [];
  for (const [command, ...args] of [...commands, version]) {
    const ran = await runCommand(command, args, { cwd: folder, timeout: commandMs, env: process.env });
    if (ran.status !== 0) throw new Error(lastLine(ran));
    outputs.push(ran.output.trim());
  }
  return { output: outputs.at(-2) ?? "", version: outputs.at(-1) ?? "" };
}
