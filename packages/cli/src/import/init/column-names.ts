import { findTarget, type ImportObject, importObjects } from '../targets.js';

/** Names of columns by field, in English and German, in the form that {@link simplified} returns. */
const namesByObject: Readonly<Record<ImportObject, Readonly<Record<string, string>>>> = {
  opportunity: {
    name: `name deal dealname dealtitle opportunity opportunityname title subject titel bezeichnung geschaft
      verkaufschance projekt projektname betreff angebot`,
    stage: 'stage dealstage stagename salesstage pipelinestage status phase dealphase verkaufsphase vertriebsphase',
    amount: `amount value dealvalue dealsize dealamount closevalue revenue price total betrag wert volumen dealwert
      auftragswert auftragsvolumen umsatz summe preis`,
    currency: 'currency currencycode currencyisocode wahrung waehrung',
    close_date: `closedate closingdate closed closedat expectedclosedate expectedclose abschlussdatum abschluss
      geplanterabschluss erwarteterabschluss erwartetesabschlussdatum`,
    next_action_date: 'nextactiondate nextactivitydate nextstepdate followupdate wiedervorlage wiedervorlagedatum',
    next_step: 'nextstep nextaction nachsterschritt naechsterschritt nachsteaktion',
    external_id: 'externalid dealid opportunityid recordid id externeid vorgangsnr vorgangsnummer',
    account_domain: `accountdomain domain companydomain companydomainname website url companywebsite webseite internetseite
      homepage firmendomain`,
    account_name: `account accountname company companyname customer client organization organisation firma firmenname
      unternehmen kunde kundenname`,
    primary_contact_email: `primarycontactemail contactemail email emailaddress personemail emailadresse kontaktemail
      ansprechpartneremail mail contact contactperson ansprechpartner ansprechpartnerin kontakt kontaktperson`,
    owner_email: `owneremail owner dealowner opportunityowner salesrep salesagent assignedto verantwortlich
      verantwortlicher verantwortliche zustandig zustaendig betreuer kundenbetreuer bearbeiter besitzer eigentumer verkaufer verkauferin vertriebsmitarbeiter`,
  },
  account: {
    domain: `domain companydomain companydomainname accountdomain website url web homepage webseite internetseite
      firmendomain`,
    external_id: 'externalid accountid companyid recordid id externeid kundennummer kundennr',
    name: 'name company companyname account accountname organization organisation firma firmenname unternehmen kunde',
    industry: 'industry sector branch branche',
    description: 'description about beschreibung',
    website: 'website url homepage webseite internetseite',
    employee_range: 'employeerange employees numberofemployees companysize size mitarbeiter mitarbeiterzahl',
  },
  contact: {
    email: 'email emailaddress contactemail workemail mail emailadresse',
    external_id: 'externalid contactid personid recordid id externeid',
    first_name: 'firstname givenname forename vorname',
    last_name: 'lastname surname familyname nachname familienname',
    job_title: 'jobtitle title position role jobtitel funktion rolle',
    phone: 'phone phonenumber telephone mobile mobilephone workphone telefon telefonnummer mobil handy',
  },
  note: {
    title: 'title subject titel betreff',
    content: 'content note notes text body comment description notiz notizen inhalt kommentar bemerkung',
    account_domains: 'accountdomains accountdomain domain website',
    contact_emails: 'contactemails contactemail email',
  },
};

/** Fields that are typical of one kind of record. They show what a file contains. */
const typicalFields: Readonly<Record<ImportObject, string>> = {
  opportunity: 'stage amount close_date',
  account: 'domain industry employee_range',
  contact: 'email first_name last_name job_title phone',
  note: 'content',
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
  return ['number', 'instant'].includes(findTarget(object, field)?.kind ?? '') ? /\d/ : /./;
};

/** Whether at least half of the values that are not blank match. */
export const mostMatch = (values: readonly string[], isMatch: (text: string) => boolean): boolean => {
  const texts = values.filter((text) => text.trim() !== '');
  return texts.filter(isMatch).length * 2 >= texts.length;
};

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
  return Object.entries({ ...namesByObject[object], ...more }).flatMap(([field, names]) => {
    const shape = shapeOf(object, field);
    const fits = (column: string): boolean => mostMatch(columns.get(column) ?? [], (text) => shape.test(text.trim()));
    const found = names.split(/\s+/).flatMap((name) => [...free].filter((column) => simplified(column) === name));
    const column = found.find(fits);
    if (column === undefined) return [];
    free.delete(column);
    return [{ field, column }];
  });
};

/** Guesses from the columns what a file contains. The default is opportunities. */
export const guessObject = (columns: Columns): ImportObject => {
  const scores = importObjects.map((object) => {
    const typical = typicalFields[object].split(' ');
    const score = matchColumns(object, columns).reduce((sum, { field }) => sum + (typical.includes(field) ? 2 : 1), 0);
    return { object, score };
  });
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).object;
};
