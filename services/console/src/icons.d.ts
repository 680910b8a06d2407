/** One icon a file: through the package's door every build would read some six thousand of them. */
declare module "@tabler/icons-react/dist/esm/icons/*.mjs" {
  import type { ComponentType } from "react";
  const icon: ComponentType<{ size: number }>;
  export default icon;
}
