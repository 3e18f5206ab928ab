import type { CrmClient, Field, Listing, Member, Pipeline, Stage } from '@crm/client';
import { allowedText, invalid } from './tool-error.js';

/** The kinds of records that have fields, as the tools name them. */
export const kinds = ['deal', 'account', 'contact'] as const;
export type RecordKind = (typeof kinds)[number];

/** How long a process that serves one caller may use what it has read of the setup. */
const maxAgeMs = 10_000;
const largestPage = { limit: 500 };

/** The form in which the API compares names: without case, invisible characters and repeated blanks. */
const normalize = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

const readAll = async <Item>(listing: Listing<Item, unknown>): Promise<readonly Item[]> => {
  const items: Item[] = [];
  for await (const item of listing) items.push(item);
  return items;
};

/** Pipelines, stages, members and fields of the organization, read on demand. Finds them by their names. */
export class Setup {
  readonly #crm: CrmClient;
  readonly #cache = new Map<string, { readonly readAtMs: number; readonly items: Promise<readonly unknown[]> }>();
  readonly #allowed: readonly string[] | undefined;

  /** @param allowed - what the key allows, if it was just read */
  constructor(crm: CrmClient, allowed?: readonly string[]) {
    this.#crm = crm;
    this.#allowed = allowed;
  }

  /** What the key allows: groups of operations and single operations. */
  async allowed(): Promise<readonly string[]> {
    return this.#allowed ?? this.readAllowed();
  }

  /** Reads what the key allows now. */
  async readAllowed(): Promise<readonly string[]> {
    return (await this.#crm.key.get()).data.allowed_operations;
  }

  /** All pipelines, also archived ones. */
  pipelines(): Promise<readonly Pipeline[]> {
    return this.#read('pipelines', () => readAll(this.#crm.pipelines.list(largestPage)));
  }

  /** All stages of a pipeline, also archived ones. */
  stages(pipelineId: string): Promise<readonly Stage[]> {
    return this.#read(pipelineId, () => readAll(this.#crm.pipelines.stages(pipelineId, largestPage)));
  }

  /** All members, also former ones. */
  members(): Promise<readonly Member[]> {
    return this.#read('members', () => readAll(this.#crm.members.list(largestPage)));
  }

  /** All fields of a kind of records. */
  fields(kind: RecordKind): Promise<readonly Field[]> {
    const { opportunities, accounts, contacts } = this.#crm;
    const records = { deal: opportunities, account: accounts, contact: contacts }[kind];
    return this.#read(kind, () => readAll(records.fields(largestPage)));
  }

  /** The pipeline with this name. Without a name: the only pipeline in use. @throws ToolError that names the argument */
  async findPipeline(name: string | undefined, argument = 'pipeline_name'): Promise<Pipeline> {
    const pipelines = await this.pipelines();
    const active = pipelines.filter(({ is_active: isActive }) => isActive);
    const only = active.length === 1 ? active[0] : undefined;
    const found = name === undefined ? only : pipelines.find((one) => normalize(one.name) === normalize(name));
    if (found !== undefined) return found;
    const fault = name === undefined ? 'is required, because there are several' : `"${name}" is not a pipeline`;
    throw invalid({ [argument]: `${fault}; ${allowedText(active.map((one) => one.name))}` });
  }

  /** The stage of a pipeline with this label. @throws ToolError */
  async findStage(pipelineId: string, label: string): Promise<Stage> {
    const active = (await this.stages(pipelineId)).filter(({ is_active: isActive }) => isActive);
    const found = active.find((stage) => normalize(stage.label) === normalize(label));
    if (found !== undefined) return found;
    const allowed = allowedText(active.map((stage) => stage.label));
    throw invalid({ stage_name: `"${label}" is not a stage of the pipeline; ${allowed}` });
  }

  async #read<Item>(name: string, read: () => Promise<readonly Item[]>): Promise<readonly Item[]> {
    const cached = this.#cache.get(name);
    if (cached !== undefined && Date.now() - cached.readAtMs < maxAgeMs) return (await cached.items) as readonly Item[];
    const items = read();
    this.#cache.set(name, { readAtMs: Date.now(), items });
    // A failure is not cached.
    items.catch(() => this.#cache.delete(name));
    return items;
  }
}
