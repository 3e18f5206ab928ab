#!/bin/sh
# Installs the packages that the package.json of this folder needs at run time, without source maps and type declarations.
set -eu
npm ci --ignore-scripts --omit=dev --omit=optional
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# Prisma has a query compiler for each database and size; the generated client loads one of them.
find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name 'query_compiler_fast_bg.postgresql.*' -delete
npm cache clean --force
