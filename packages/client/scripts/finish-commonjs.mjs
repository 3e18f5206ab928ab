// Marks the CommonJS half of the build: the package itself is of type "module".
import { writeFileSync } from 'node:fs';

writeFileSync(new URL('../dist/commonjs/package.json', import.meta.url), '{ "type": "commonjs" }\n');
