import type { OpportunityParts, OrganizationSetup, Pipeline } from '@crm/db';
import {
  type Body,
  bodyPathOf,
  type Change,
  comparableName,
  emptyNoteFault,
  type ErrorCollector,
  isBlank,
  knownText,
  quote,
  readContactPart,
  readSent,
  unknownPipeline,
  validationError,
} from '@crm/domain';

/** The pipeline with a name; names that look alike are one name. @throws ApiError `validation_failed` for an unknown one */
const pipelineOfName = ({ pipelines }: OrganizationSetup, name: string): Pipeline => {
  const wanted = comparableName(name);
  const found =
    pipelines.find((pipeline) => pipeline.name === name) ??
    pipelines.find((pipeline) => comparableName(pipeline.name) === wanted);
  if (found !== undefined) return found;
  const active = pipelines.filter(({ isActive }) => isActive).map((pipeline) => pipeline.name);
  throw validationError({ pipeline: `${quote(name)} is not a pipeline; ${knownText(active)}` });
};

/**
 * The pipeline of a create, by id, name or both. It may be archived: the create may find an opportunity in it.
 * @throws ApiError `not_found` for an unknown id, `validation_failed` for an unknown name, and for the name of another pipeline than the id
 */
export const pipelineForCreate = (setup: OrganizationSetup, { pipeline_id: id, pipeline: name }: Body): Pipeline => {
  const named = typeof name === 'string' && !isBlank(name) ? pipelineOfName(setup, name) : undefined;
  const found = typeof id === 'string' ? setup.findPipeline(id) : named;
  if (found === undefined) throw unknownPipeline();
  if (named === undefined || named === found) return found;
  const text = `differs from pipeline_id, which is the pipeline ${quote(found.name)}`;
  throw validationError({ pipeline: `${text}: send one of them, or both of one pipeline` });
};

const emailPath = 'primary_contact.email';

/** A change with the email of the primary contact as its reference. Both may be sent if they are equal. */
const withPrimaryEmail = (change: Change, email: string | undefined, errors: ErrorCollector): Change => {
  const { primary_email: other } = change.references;
  if (email === undefined) return change;
  if (other && other !== email)
    errors.add(
      emailPath,
      `is ${quote(email)}, but ${bodyPathOf('opportunity', 'primary_email')} is ${quote(other)}: send one of them`,
    );
  return { ...change, references: { ...change.references, primary_email: email } };
};

/** Reads `primary_contact` and `note` of a create of an opportunity. Adds every fault to `errors`. */
export const readParts = (
  body: Body,
  change: Change,
  errors: ErrorCollector,
): { readonly change: Change; readonly parts: OpportunityParts } => {
  const { primary_contact: sentContact, note: sentNote } = body as {
    readonly primary_contact?: Body | null;
    readonly note?: { readonly title?: string | null; readonly content?: string | null } | null;
  };
  const primaryContact = sentContact ? readContactPart(sentContact, 'primary_contact', errors) : undefined;
  const email = primaryContact?.set['email'] as string | undefined;
  const note = sentNote && {
    title: readSent('name', sentNote.title, 'note.title', errors) ?? null,
    content: readSent('text', sentNote.content, 'note.content', errors) ?? null,
  };
  if (note?.title === null && note.content === null) {
    errors.add('note.title', emptyNoteFault);
    errors.add('note.content', emptyNoteFault);
  }
  return {
    change: withPrimaryEmail(change, email, errors),
    parts: { namesPipeline: (body['pipeline_id'] ?? null) === null, primaryContact, note: note ?? undefined },
  };
};
