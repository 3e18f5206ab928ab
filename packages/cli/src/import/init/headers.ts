import type { ImportObject } from '../targets.js';

/** A column with full names, which are split into `first_name` and `last_name`. */
export const fullName = 'full_name';

/** Words in headers, as {@link simplified} writes them, in the languages of common programs. */
export const words: Readonly<Record<string, string>> = {
  DEAL: `deals?|opportunit(y|ies|a|e)|verkaufschancen?|geschafts?|transaction|affaire|negocio|oportunidade?|trato|affare|
    trattativa|opportuniteit|szans[ay]|transakcj[ai]|firsat|anlasma`,
  ACCOUNT: `accounts?|compan(y|ies)|organi[sz]ations?|firm[ay]|firmen|unternehmens?|kunden?|customer|client|entreprise|
    societe|compte|empresa|cliente|cuenta|conta|organizacion|organizacao|azienda|societa|organizzazione|bedrijfs?|klant|
    organisatie|klienta?|kont[oa]|organizacj[ai]|sirket|hesap|musteri|kurulus`,
  CONTACT: `contact(person|name)?s?|person|people|kontakt(person)?|ansprechpartner(in)?|personnecontacter|contacto|contato|contatto|
    (persona|pessoa)(contacto|contato|contatto)|osob[ay](kontaktowa)?|ilgilikisi|kisi`,
  ID: 'ids?|externalid|externeid|recordid|idrecord|datensatzid|idenregistrement|idregistro|kayitid',
  LINKED: '(primary)?associated|zugehorige[nrs]?|zugeordnete[nrs]?|asociad[oa]s?|associad[oa]s?|associee?s?',
  NUMBER: 'numbers?|nummer|nr|numero|numer|numarasi',
  NAME: 'name|nom|nombre|nome|naam|nazwa|adi?',
  TITLE: 'title|titel|titre|titulo|titolo|tytul|baslik',
  EMAIL: `e?mails?|(e?mail|eposta)(address|addresses|adresse|adres|adresi)|(adres|endereco)email|adressemessagerie|courriel|eposta|
    correo|(direccion)?correoelectronico|indirizzo(posta|email)(elettronica)?`,
  SITE: `(web|internet)?(site|domains?|seite|page)(url|name)?|url|web|homepage|domain[ea]n?(name)?|nomdomaine|
    (nombre|nome)?dominio|domein(naam)?|domena|site(web|internet)|(sitio|pagina|sito)web|strona(www|internetowa)|websitesi`,
  DATE: 'date|datum|fecha|data|tarihi?',
  CLOSE: `clos(e|ed|ing)|abschluss|schluss|cloture|fermeture|cierre|fechamento|chiusura|sluitings|zamkniecia|kapanis`,
  PLAN: 'expected|erwartete[rs]|geplante[rs]|prevue|prevista|esperada|verwachte|przewidywana|beklenen',
  AMOUNT: `amount|value|betrag|wert|montant|valeur|importe|monto|valor|importo|valore|ammontare|bedrag|waarde|kwota|
    wartosc|tutar|deger`,
  CURRENCY: 'currency|wahrung|waehrung|devise|moneda|divisa|moeda|valuta|waluta|parabirimi',
  PHONE: '(tele)?phone|telefone?|telefono|telefoon|telefonu',
  MOBILE: 'mobile?(phone|number|telefon|telefoon)?|handy|movil|celular|cellulare|(tel)?portable|ceptelefonu',
  WORK: 'work|business|geschaftlich|arbeit|bureau|travail|trabajo|trabalho|comercial|lavoro|opwerk|sluzbowy|dienstlich|is',
  EMPLOYEES: `employees?|employes|empleados|funcionarios|dipendenti|werknemers|medewerkers|mitarbeiter(zahl)?|pracownikow`,
  OWNER: `owner|salesrep|salesagent|assignedto|verantwortliche?r?|zustandige?r?(mitarbeiter)?|zustaendig|(kunden)?betreuer|bearbeiter|inhaber|
    besitzer|eigentumer|verkaufer(in)?|vertriebsmitarbeiter|proprietaire|propietario|proprietario|responsable|titolare|
    eigenaar|wlasciciel|sahibi`,
};

const accountId = 'LINKED?ACCOUNT(NAME)?(ID|NUMBER)(primary)? IDACCOUNT';
const contactId = '(LINKED|primary)?CONTACT(NAME)?ID IDCONTACT';

/**
 * Names of columns by field, as regular expressions with {@link words}, the best first. A word for the object itself may
 * be before and after: `Deal - Title` is a `title` of deals, and `Phase de la transaction` a `phase`.
 */
export const namesByObject: Readonly<Record<ImportObject, Readonly<Record<string, string>>>> = {
  opportunity: {
    name: 'NAME TITLE DEAL subject betreff bezeichnung projekt(name)? angebot asunto objet oggetto onderwerp temat konu',
    stage: '(sales|pipeline)?stage(name)? status (verkaufs|vertriebs)?[pf]h?ase etapa? etape asama',
    amount: 'AMOUNT size closeAMOUNT revenue price total auftrags(AMOUNT|volumen) volumen umsatz summe preis',
    currency: '(AMOUNT)?CURRENCY(iso)?(code)?(AMOUNT)?',
    close_date: 'CLOSE(DATE|at|termin)? DATECLOSE PLANCLOSE(DATE)? (PLAN)?DATECLOSE(PLAN)?',
    next_action_date: 'next(action|activity|step)DATE followupDATE wiedervorlage(DATE)?',
    next_step: 'next(step|action) na(e)?chsterschritt nachsteaktion',
    external_id: 'ID vorgangsNUMBER',
    account_domain: '(ACCOUNT)?SITE SITEACCOUNT',
    account_external_id: accountId,
    account_name: 'LINKED?ACCOUNT(NAME)?(primary)? NAMEACCOUNT',
    primary_contact_email: '(primary)?CONTACTEMAIL CONTACT?EMAIL(WORK)? EMAILCONTACT (primary|LINKED)?CONTACT',
    primary_contact_external_id: contactId,
    owner_email: 'OWNEREMAIL OWNER',
  },
  account: {
    domain: 'SITE',
    external_id: 'ID NUMBER',
    name: 'NAME ACCOUNT',
    industry: 'industry sector branche? secteur(activite)? settore setor bedrijfstak branza sektor',
    description: 'description about beschreibung descripcion descricao descrizione omschrijving opis aciklama',
    website: 'SITE',
    employee_range:
      'EMPLOYEES EMPLOYEESrange (number|nombre|numero|aantal|anzahl|liczba)EMPLOYEES size effectif calisansayisi',
  },
  contact: {
    email: '(primary|primare)?EMAIL (WORK)?EMAIL EMAIL(WORK|1value|1)',
    external_id: 'ID',
    first_name: '(first|given|fore)name vorname prenom nombre nome voornaam imie adi?',
    last_name: `(last|sur|family)name nachname familienname nom(famille)? apellidos? sobrenome cognome achternaam nazwisko
      soyadi?`,
    [fullName]: '(full|display)?NAME (vollstandiger)?NAME(complet[oae]?)? volledigenaam imieinazwisko adi?soyadi?',
    job_title: `jobTITLE position (job)?role funktion rolle fonction intituleposte poste puesto cargo posizione functie arbeitstitel
      stanowisko gorev organization1?TITLE TITLE (is)?unvani?`,
    phone: '(WORK|primary)?PHONE PHONE(WORK|1value) PHONENUMBER NUMBERPHONE teldienstlich MOBILE',
    account_domain: 'ACCOUNTSITE SITEACCOUNT',
    account_external_id: accountId,
  },
  note: {
    title: 'TITLE subject betreff',
    content: 'content notes? text body comment description notiz(en)? inhalt kommentar bemerkung',
    account_domains: '(ACCOUNT)?SITE',
    contact_emails: '(CONTACT)?EMAIL',
    account_external_ids: accountId,
    contact_external_ids: contactId,
  },
};
