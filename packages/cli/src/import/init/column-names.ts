import { findTarget, type ImportObject, importObjects, requiredTargets } from '../targets.js';

/** A column with full names, which are split into `first_name` and `last_name`. */
export const fullName = 'full_name';

/**
 * Names of columns by field, in English and German, in the form that {@link simplified} returns, the best first. A name
 * may also begin with a word for the object itself: `Deal - Title` is a `title` of deals.
 */
const namesByObject: Readonly<Record<ImportObject, Readonly<Record<string, string>>>> = {
  opportunity: {
    name: `name title subject titel bezeichnung geschaft verkaufschance projekt projektname betreff angebot deal
      opportunity`,
    stage: 'stage stagename salesstage pipelinestage status phase verkaufsphase vertriebsphase',
    amount: `amount value size closevalue revenue price total betrag wert volumen auftragswert auftragsvolumen umsatz
      summe preis`,
    currency: 'currency currencycode currencyisocode amountcurrency valuecurrency betragwahrung wahrung waehrung',
    close_date: `closedate closingdate closed closedat expectedclosedate expectedclose abschlussdatum abschluss
      geplanterabschluss erwarteterabschluss erwartetesabschlussdatum`,
    next_action_date: 'nextactiondate nextactivitydate nextstepdate followupdate wiedervorlage wiedervorlagedatum',
    next_step: 'nextstep nextaction nachsterschritt naechsterschritt nachsteaktion',
    external_id: 'externalid recordid id recordiddealid externeid vorgangsnr vorgangsnummer',
    account_domain: `accountdomain domain companydomain companydomainname website url companywebsite accountwebsite
      webseite internetseite homepage firmendomain`,
    account_external_id: `accountid associatedcompanyids associatedcompanyidsprimary associatedcompanyid companyid
      accountnameid organizationid organisationid kundennummer kundennr`,
    account_name: `accountname account companyname company associatedcompany associatedcompanyprimary customer client
      organizationname organization organisation firma firmenname unternehmen kunde kundenname`,
    primary_contact_email: `primarycontactemail contactemail email emailaddress personemail personemailwork
      emailadresse kontaktemail ansprechpartneremail mail contact contactperson ansprechpartner ansprechpartnerin kontakt
      kontaktperson`,
    primary_contact_external_id:
      'primarycontactid contactid contactnameid personid associatedcontactids associatedcontactid',
    owner_email: `owneremail owner salesrep salesagent assignedto verantwortlich verantwortlicher verantwortliche zustandig
      zustaendig betreuer kundenbetreuer bearbeiter besitzer eigentumer verkaufer verkauferin vertriebsmitarbeiter`,
  },
  account: {
    domain: `domain domainname companydomain companydomainname website websiteurl url web homepage webseite
      internetseite firmendomain`,
    external_id: 'externalid recordid id recordidaccountid externeid kundennummer kundennr',
    name: 'name account company organization organisation firma firmenname unternehmen kunde',
    industry: 'industry sector branch branche',
    description: 'description about beschreibung',
    website: 'website websiteurl url homepage webseite internetseite',
    employee_range: 'employeerange employees numberofemployees size mitarbeiter mitarbeiterzahl',
  },
  contact: {
    email: `email emailaddress primaryemail workemail emailwork email1value email1 mail emailadresse`,
    external_id: 'externalid recordid id recordidcontactid externeid',
    first_name: 'firstname givenname forename vorname',
    last_name: 'lastname surname familyname nachname familienname',
    [fullName]: 'fullname name displayname vollstandigername',
    job_title: `jobtitle title position role organizationtitle organization1title jobtitel funktion rolle`,
    phone: `phone phonenumber workphone phonework businessphone phone1value telephone mobile mobilephone telefon
      telefonnummer telefongeschaftlich mobiltelefon mobil handy`,
  },
  note: {
    title: 'title subject titel betreff',
    content: 'content note notes text body comment description notiz notizen inhalt kommentar bemerkung',
    account_domains: 'accountdomains accountdomain domain website',
    contact_emails: 'contactemails contactemail email',
  },
};

/** Words for the object itself. */
const ownWords: Readonly<Record<ImportObject, RegExp>> = {
  opportunity: /^(deal|opportunity)/,
  account: /^(account|company|organization|organisation)/,
  contact: /^(contact|person|people)/,
  note: /^note/,
};

/** How typical fields are of one kind of record. They show what a file contains. Other fields count 1. */
const typicalFields: Readonly<Record<ImportObject, Readonly<Record<string, number>>>> = {
  opportunity: { stage: 2, amount: 2, close_date: 2, primary_contact_email: 0.5, external_id: 0.5 },
  account: { domain: 2, industry: 2, employee_range: 2, external_id: 0.5 },
  contact: { email: 2, first_name: 2, last_name: 2, [fullName]: 1.5, job_title: 2, phone: 2, external_id: 0.5 },
  note: { content: 3, title: 1, external_id: 0.5 },
};

/**
 * Lower-cases a name, and removes its accents and punctuation, and what is in brackets: `Close Date`, `close_date` and
 * `closeDate` become `closedate`, `Währung (ISO)` becomes `wahrung`.
 */
export const simplified = (name: string): string => {
  const outside = name.replace(/[([].*?[)\]]/g, '') || name;
  // Upper-casing first turns ß into ss.
  return outside
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
};

/** A field, and the column that probably contains it. */
export interface MatchedColumn {
  readonly field: string;
  readonly column: string;
}

/** The columns of a file, with the values in the first rows. */
export type Columns = ReadonlyMap<string, readonly string[]>;

/** What most values of a field look like. */
const shapeOf = (object: ImportObject, field: string): RegExp => {
  if (/domains?$/.test(field)) return /^[^\s@]+\.[^\s@]+$/;
  if (/emails?$/.test(field)) return field === 'owner_email' ? /./ : /@/;
  return ['number', 'instant'].includes(findTarget(object, field)?.kind ?? '') ? /\p{Nd}/u : /./;
};

const isFilled = (text: string): boolean => text.trim() !== '';

/** Whether at least half of the values that are not blank match. */
export const mostMatch = (values: readonly string[], isMatch: (text: string) => boolean): boolean => {
  const texts = values.filter(isFilled);
  return texts.filter(isMatch).length * 2 >= texts.length;
};

/** A key that nine of ten rows lack would reject these rows. */
const isAlmostEmpty = (values: readonly string[]): boolean =>
  values.length > 0 && values.filter(isFilled).length * 10 < values.length;

/**
 * Finds the column of each field: the first of its names that the file has with such values. No column is used twice.
 *
 * @param more - names of columns by further fields
 */
export const matchColumns = (
  object: ImportObject,
  columns: Columns,
  more: Readonly<Record<string, string>> = {},
): readonly MatchedColumn[] => {
  const free = new Set(columns.keys());
  const isKey = (field: string): boolean => field === 'external_id' || requiredTargets(object).includes(field);
  const known = Object.entries({ ...namesByObject[object], ...more }).filter(
    ([field]) => field === fullName || field.startsWith('custom_fields.') || findTarget(object, field) !== undefined,
  );
  const matched = known.flatMap(([field, names]) => {
    const shape = shapeOf(object, field);
    const fits = (column: string): boolean => {
      const values = columns.get(column) ?? [];
      return mostMatch(values, (text) => shape.test(text.trim())) && !(isKey(field) && isAlmostEmpty(values));
    };
    const found = names.split(/\s+/).flatMap((name) => {
      const isNamed = (text: string): boolean => text === name || text.replace(ownWords[object], '') === name;
      const alike = [...free].filter((column) => isNamed(simplified(column)));
      // `Amount` is a better amount than `Amount (converted)`.
      return alike.sort((one, other) => Number(/[([]/.test(one)) - Number(/[([]/.test(other)));
    });
    const column = found.find(fits);
    if (column === undefined) return [];
    free.delete(column);
    return [{ field, column }];
  });
  const hasName = matched.some(({ field }) => ['first_name', 'last_name'].includes(field));
  return matched.filter(({ field }) => field !== fullName || !hasName);
};

/** Guesses from the columns what a file contains. The default is opportunities. */
export const guessObject = (columns: Columns): ImportObject => {
  const scores = importObjects.map((object) => {
    const own = [...columns.keys()].filter((column) => ownWords[object].test(simplified(column))).length;
    const fields = matchColumns(object, columns).map(({ field }) => typicalFields[object][field] ?? 1);
    return { object, score: fields.reduce((sum, one) => sum + one, 0) + own / 10 };
  });
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).object;
};
