#!/bin/sh
# Installs the packages in this folder that are needed at run time, without the files that only development reads.
set -eu
npm ci --ignore-scripts --omit=dev --omit=optional
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# Prisma has a query compiler for each database and size; the generated client loads one of them.
find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name 'query_compiler_fast_bg.postgresql.*' -delete
# swagger-ui-dist names this package, whose install script reports the installation to its makers, and never loads it.
rm -rf node_modules/@scarf/scarf
npm cache clean --force
