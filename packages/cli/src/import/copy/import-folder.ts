import { basename } from 'node:path';

import type { CliContext } from '../../cli-context.js';
import { importProgress } from '../../progress.js';
import { type CopyTarget, makePlan } from '../import-plan.js';
import { exportedId } from '../mapping/exported-record.js';
import { type ImportResult, reportJson, type RowOutcome, shortText } from '../reporting/report.js';
import { bulkConcurrency, mostItems, runImport, singleConcurrency } from '../run-import.js';
import type { SenderOptions } from '../sending/record-sender.js';
import { importObjectOf } from '../targets.js';
import { clearFilledIn, type CopiedRow } from './empty-values.js';
import type { ExportFolder } from './export-folder.js';

/** How the files of a folder are imported. */
export interface FolderImport {
  readonly folder: ExportFolder;
  readonly setup: CopyTarget['setup'];
  readonly client: CopyTarget['client'];
  readonly raw: boolean | undefined;
  /** Whether new opportunities may get a currency. */
  readonly hasCurrency: boolean;
  /** Absent on a dry run. */
  readonly gateways: SenderOptions['gateways'] | undefined;
  readonly outageMs: number;
  readonly signal: AbortSignal;
}

/** The result of one file. */
export interface FileResult {
  readonly path: string;
  readonly result: ImportResult;
}

/** Whether all rows of a file are imported, or would be. */
export const isWhole = ({ result: { stopped, tally } }: FileResult): boolean =>
  stopped === undefined && tally.rejected === 0;

/** Opens and closes all files, so that a fault of one is found before anything is changed. @throws CliError */
export const checkFiles = async ({ folder, setup, raw, client }: FolderImport): Promise<void> => {
  for (const { object, path } of folder.files) {
    const { source } = await makePlan(path, { object, ...(raw === true && { raw }) }, undefined, {
      setup,
      client,
      opportunityIds: new Map(),
    });
    await source.rows.return(undefined);
  }
};

/**
 * Imports the files of an export one after the other. It stops after a file with rejected rows, because later files refer
 * to its records. A dry run continues.
 */
export const importFiles = async (context: CliContext, job: FolderImport): Promise<readonly FileResult[]> => {
  const opportunityIds = new Map<string, string>();
  const results: FileResult[] = [];
  for (const { object, path } of job.folder.files) {
    const isDryRun = job.gateways === undefined;
    const options = { object, dryRun: isDryRun, ...(job.raw === true && { raw: true }) };
    const plan = await makePlan(path, options, undefined, { setup: job.setup, client: job.client, opportunityIds });
    const isBulk = object !== 'notes';
    const onDone = (id: string, { kind, records = [] }: RowOutcome): void => {
      const found = kind === 'fitting' ? id : records[0];
      if (object === 'opportunities' && kind !== 'rejected' && found !== undefined) opportunityIds.set(id, found);
    };
    const { client, hasCurrency } = job;
    const onSent = async (rows: readonly CopiedRow[]) =>
      clearFilledIn(client, importObjectOf(object), rows, hasCurrency);
    context.stderr.write(`${isDryRun ? 'Checking' : 'Importing'} ${basename(path)}\n`);
    const result = await runImport({
      ...plan,
      rejectsPath: `${path}.rejects${plan.source.csv === undefined ? '.jsonl' : '.csv'}`,
      warningsPath: `${path}.warnings${plan.source.csv === undefined ? '.jsonl' : '.csv'}`,
      sending: job.gateways && {
        gateways: job.gateways,
        isBulk,
        updateMatches: false,
        rowsNamePipelines: true,
        outageMs: job.outageMs,
        onWait: (text) => void context.stderr.write(`${text}\n`),
      },
      batchSize: isBulk ? mostItems : 1,
      concurrency: isBulk ? bulkConcurrency : singleConcurrency,
      limitRows: undefined,
      sameKey: 'reject',
      sentNotes: undefined,
      copied: { idOf: exportedId, onDone, onSent },
      progress: importProgress(context.stderr, plan.source.sizeBytes),
      signal: job.signal,
    });
    results.push({ path, result });
    if (job.signal.aborted || (!isDryRun && !isWhole({ path, result }))) break;
  }
  return results;
};

/** The result of a file as `--json` prints it. */
export const fileJson = ({ path, result }: FileResult): Record<string, unknown> => ({
  file: path,
  ...reportJson(result),
});

/** The result of a file as text. */
export const fileText = ({ path, result }: FileResult): string => `${basename(path)}: ${shortText(result)}`;
