/** Writes `docs/settings.schema.json`, the JSON Schema of settings files, from the rules that settings are checked by. */
import { writeFileSync } from "node:fs";
import { settingsSchema } from "../../src/cli/settings/schema.ts";

writeFileSync(new URL("../settings.schema.json", import.meta.url), `${JSON.stringify(settingsSchema(), undefined, 2)}\n`);
