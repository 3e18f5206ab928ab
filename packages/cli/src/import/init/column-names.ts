import type { ImportObject } from '../targets.js';

/** Column names of other programs by field, in the form that {@link simplified} returns. */
const namesByObject: Readonly<Record<ImportObject, Readonly<Record<string, readonly string[]>>>> = {
  opportunity: {
    name: ['name', 'deal', 'dealname', 'dealtitle', 'opportunity', 'opportunityname', 'title', 'subject'],
    stage: ['stage', 'dealstage', 'stagename', 'salesstage', 'pipelinestage', 'status'],
    amount: ['amount', 'value', 'dealvalue', 'dealsize', 'dealamount', 'closevalue', 'revenue', 'price', 'total'],
    currency: ['currency', 'currencycode', 'currencyisocode'],
    close_date: ['closedate', 'closingdate', 'closed', 'closedat', 'expectedclosedate', 'expectedclose'],
    next_action_date: ['nextactiondate', 'nextactivitydate', 'nextstepdate', 'followupdate'],
    next_step: ['nextstep', 'nextaction'],
    account_domain: [
      'accountdomain',
      'domain',
      'companydomain',
      'companydomainname',
      'website',
      'url',
      'companywebsite',
    ],
    primary_contact_email: ['primarycontactemail', 'contactemail', 'email', 'emailaddress', 'personemail'],
    owner_email: ['owneremail', 'owner', 'dealowner', 'opportunityowner', 'salesrep', 'salesagent', 'assignedto'],
  },
  account: {
    domain: ['domain', 'companydomain', 'companydomainname', 'accountdomain', 'website', 'url', 'web', 'homepage'],
    name: ['name', 'company', 'companyname', 'account', 'accountname', 'organization', 'organisation'],
    industry: ['industry', 'sector', 'branch'],
    description: ['description', 'about'],
    website: ['website', 'url', 'homepage'],
    employee_range: ['employeerange', 'employees', 'numberofemployees', 'companysize', 'size'],
  },
  contact: {
    email: ['email', 'emailaddress', 'contactemail', 'workemail', 'mail'],
    first_name: ['firstname', 'givenname', 'forename'],
    last_name: ['lastname', 'surname', 'familyname'],
    job_title: ['jobtitle', 'title', 'position', 'role'],
    phone: ['phone', 'phonenumber', 'telephone', 'mobile', 'mobilephone', 'workphone'],
  },
  note: {
    title: ['title', 'subject'],
    content: ['content', 'note', 'notes', 'text', 'body', 'comment', 'description'],
    account_domains: ['accountdomains', 'accountdomain', 'domain', 'website'],
    contact_emails: ['contactemails', 'contactemail', 'email'],
  },
};

/** Fields that are typical of one kind of record. They show what a file contains. */
const typicalFields: readonly (readonly [ImportObject, readonly string[]])[] = [
  ['opportunity', ['stage', 'amount', 'close_date']],
  ['contact', ['first_name', 'last_name', 'job_title']],
  ['note', ['content']],
  ['account', ['industry', 'employee_range', 'domain']],
  ['contact', ['email']],
];

/** Lower-cases a name and removes its punctuation: `Close Date`, `close_date` and `closeDate` become `closedate`. */
export const simplified = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** A field, and the column that probably contains it. */
export interface MatchedColumn {
  readonly field: string;
  readonly column: string;
}

/** Finds the column of each field: the first of its names that the file has. No column is used twice. */
export const matchColumns = (object: ImportObject, columns: readonly string[]): readonly MatchedColumn[] => {
  const free = new Map(columns.map((column) => [simplified(column), column]));
  return Object.entries(namesByObject[object]).flatMap(([field, names]) => {
    const name = names.find((candidate) => free.has(candidate));
    const column = name === undefined ? undefined : free.get(name);
    if (name === undefined || column === undefined) return [];
    free.delete(name);
    return [{ field, column }];
  });
};

/** Guesses from the columns what a file contains. The default is opportunities. */
export const guessObject = (columns: readonly string[]): ImportObject =>
  typicalFields.find(([object, fields]) =>
    matchColumns(object, columns).some(({ field }) => fields.includes(field)),
  )?.[0] ?? 'opportunity';
