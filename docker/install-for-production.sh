#!/bin/sh
# Installs what the packages in this folder need at run time, and nothing that only development reads. Of Prisma's query
# compilers, one for each database and size, the generated client loads a single one.
set -eu
npm ci --ignore-scripts --omit=dev --omit=optional
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name 'query_compiler_fast_bg.postgresql.*' -delete
npm cache clean --force
