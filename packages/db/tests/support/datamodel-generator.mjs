// A generator for `prisma generate` that writes the parsed schema to its output path, as JSON.
import { writeFile } from 'node:fs/promises';
import generatorHelper from '@prisma/generator-helper';

generatorHelper.generatorHandler({
  onManifest: () => ({ prettyName: 'datamodel' }),
  onGenerate: ({ dmmf, generator }) => writeFile(generator.output.value, JSON.stringify(dmmf.datamodel)),
});
