// Compiles `src` of the package in the working folder to `dist`, without its tests and without checking types.
import { transformFile } from '@swc/core';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const options = {
  swcrc: false,
  sourceMaps: true,
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
};

const compile = async (file) => {
  const target = join('dist', file.replace(/\.ts$/, '.js'));
  const { code, map } = await transformFile(join('src', file), options);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
  await writeFile(`${target}.map`, map);
};

const filesIn = (folder) => readdir(folder, { recursive: true }).catch(() => []);

// Declarations stay: another task writes them.
for (const file of await filesIn('dist')) if (/\.js(\.map)?$/.test(file)) await rm(join('dist', file));
const files = await filesIn('src');
await Promise.all(files.filter((file) => file.endsWith('.ts') && !/\.(test|d)\.ts$/.test(file)).map(compile));
