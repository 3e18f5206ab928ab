import { describe, expect, it } from '@jest/globals';

import { guessObject, matchColumns } from './column-names.js';

describe('the header of', () => {
  // Each column with the field that it is, if it is one.
  it.each([
    [
      'HubSpot deals',
      'opportunity',
      'Record ID=external_id, Deal Name=name, Deal Stage=stage, Close Date=close_date, Deal owner=owner_email, Amount=amount, Associated Contact IDs=primary_contact_external_id, Associated Contacts=primary_contact_email, Associated Company IDs=account_external_id, Associated Companies=account_name',
    ],
    [
      'HubSpot contacts',
      'contact',
      'Record ID=external_id, First Name=first_name, Last Name=last_name, Email=email, Phone Number=phone, Contact owner, Primary Associated Company ID=account_external_id, Associated Company, Lead Status, Job Title=job_title, Create Date',
    ],
    [
      'HubSpot DE contacts',
      'contact',
      'Datensatz-ID=external_id, Vorname=first_name, Nachname=last_name, E-Mail=email, Telefonnummer=phone, Zuständiger Mitarbeiter, Unternehmensname, Position=job_title, Erstelldatum',
    ],
    [
      'HubSpot DE deals',
      'opportunity',
      'Datensatz-ID=external_id, Deal-Name=name, Deal-Phase=stage, Pipeline, Betrag=amount, Abschlussdatum=close_date, Zuständiger Mitarbeiter=owner_email, Zugehörige Unternehmens-IDs=account_external_id',
    ],
    [
      'HubSpot DE comp',
      'account',
      'Datensatz-ID=external_id, Unternehmensname=name, Unternehmensdomain=domain, Branche=industry, Anzahl der Mitarbeiter=employee_range, Beschreibung=description',
    ],
    [
      'HubSpot FR deals',
      'opportunity',
      "ID de l'enregistrement=external_id, Nom de la transaction=name, Phase de la transaction=stage, Montant=amount, Devise=currency, Date de fermeture=close_date, Propriétaire de la transaction=owner_email",
    ],
    [
      'HubSpot FR contacts',
      'contact',
      "ID de l'enregistrement=external_id, Prénom=first_name, Nom=last_name, E-mail=email, Numéro de téléphone=phone, Nom de l'entreprise, Intitulé du poste=job_title",
    ],
    [
      'HubSpot FR comp',
      'account',
      "ID de l'enregistrement=external_id, Nom de l'entreprise=name, Nom de domaine de l'entreprise=domain, Secteur d'activité=industry, Nombre d'employés=employee_range",
    ],
    [
      'HubSpot ES deals',
      'opportunity',
      'ID de registro=external_id, Nombre del negocio=name, Etapa del negocio=stage, Importe=amount, Moneda=currency, Fecha de cierre=close_date, Propietario del negocio=owner_email',
    ],
    [
      'HubSpot ES contacts',
      'contact',
      'ID de registro=external_id, Nombre=first_name, Apellidos=last_name, Correo electrónico=email, Número de teléfono=phone, Nombre de la empresa, Cargo=job_title',
    ],
    [
      'HubSpot ES comp',
      'account',
      'ID de registro=external_id, Nombre de la empresa=name, Nombre de dominio de la empresa=domain, Sector=industry, Número de empleados=employee_range',
    ],
    [
      'HubSpot PT deals',
      'opportunity',
      'ID do registro=external_id, Nome do negócio=name, Etapa do negócio=stage, Valor=amount, Moeda=currency, Data de fechamento=close_date, Proprietário do negócio=owner_email',
    ],
    [
      'HubSpot PT contacts',
      'contact',
      'ID do registro=external_id, Nome=first_name, Sobrenome=last_name, E-mail=email, Número de telefone=phone, Nome da empresa, Cargo=job_title',
    ],
    [
      'HubSpot IT deals',
      'opportunity',
      'ID record=external_id, Nome della trattativa=name, Fase della trattativa=stage, Importo=amount, Valuta=currency, Data di chiusura=close_date, Proprietario della trattativa=owner_email',
    ],
    [
      'HubSpot NL deals',
      'opportunity',
      'Record-ID=external_id, Dealnaam=name, Dealfase=stage, Bedrag=amount, Valuta=currency, Sluitingsdatum=close_date, Eigenaar van deal=owner_email',
    ],
    [
      'Salesforce report',
      'opportunity',
      'Opportunity ID=external_id, Opportunity Name=name, Stage=stage, Fiscal Period, Amount Currency=currency, Amount=amount, Expected Revenue Currency, Expected Revenue, Probability (%), Age, Close Date=close_date, Created Date, Next Step=next_step, Lead Source, Type, Opportunity Owner=owner_email, Owner Role, Account Name=account_name',
    ],
    [
      'Salesforce export opp',
      'opportunity',
      'ID=external_id, ISDELETED, ACCOUNTID=account_external_id, NAME=name, STAGENAME=stage, AMOUNT=amount, CLOSEDATE=close_date, OWNERID, CURRENCYISOCODE=currency, NEXTSTEP=next_step, CONTACTID=primary_contact_external_id',
    ],
    [
      'Salesforce export acc',
      'account',
      'Id=external_id, Name=name, Type, Website=domain, Industry=industry, NumberOfEmployees=employee_range, Description=description, OwnerId',
    ],
    [
      'Salesforce export con',
      'contact',
      'Id=external_id, AccountId=account_external_id, LastName=last_name, FirstName=first_name, Phone=phone, MobilePhone, Email=email, Title=job_title, OwnerId',
    ],
    [
      'Salesforce DE opp',
      'opportunity',
      'Opportunity-Name=name, Accountname=account_name, Phase=stage, Betrag Währung=currency, Betrag=amount, Schlusstermin=close_date, Nächster Schritt=next_step, Opportunity-Inhaber=owner_email',
    ],
    [
      'Salesforce FR opp',
      'opportunity',
      "Nom de l'opportunité=name, Nom du compte=account_name, Étape=stage, Montant=amount, Date de clôture=close_date, Propriétaire de l'opportunité=owner_email",
    ],
    [
      'Salesforce ES opp',
      'opportunity',
      'Nombre de la oportunidad=name, Nombre de la cuenta=account_name, Etapa=stage, Importe=amount, Fecha de cierre=close_date, Propietario de oportunidad=owner_email',
    ],
    [
      'Salesforce IT opp',
      'opportunity',
      'Nome opportunità=name, Nome account=account_name, Fase=stage, Importo=amount, Data di chiusura=close_date, Titolare opportunità=owner_email',
    ],
    [
      'Salesforce NL opp',
      'opportunity',
      'Opportunitynaam=name, Accountnaam=account_name, Fase=stage, Bedrag=amount, Sluitingsdatum=close_date, Eigenaar opportunity=owner_email',
    ],
    [
      'Salesforce PL opp',
      'opportunity',
      'Nazwa szansy=name, Nazwa konta=account_name, Etap=stage, Kwota=amount, Data zamknięcia=close_date, Właściciel szansy=owner_email',
    ],
    [
      'Salesforce TR opp',
      'opportunity',
      'Fırsat Adı=name, Hesap Adı=account_name, Aşama=stage, Tutar=amount, Kapanış Tarihi=close_date, Fırsat Sahibi=owner_email',
    ],
    [
      'Pipedrive deals',
      'opportunity',
      'Deal - ID=external_id, Deal - Title=name, Deal - Owner=owner_email, Deal - Value=amount, Deal - Currency of Value=currency, Deal - Weighted value, Deal - Organization=account_name, Deal - Organization ID=account_external_id, Deal - Pipeline, Deal - Contact person=primary_contact_email, Deal - Contact person ID=primary_contact_external_id, Deal - Stage=stage, Deal - Status, Deal - Expected close date=close_date, Deal - Won time',
    ],
    [
      'Pipedrive orgs',
      'account',
      'Organization - ID=external_id, Organization - Name=name, Organization - Owner, Organization - Address',
    ],
    [
      'Pipedrive people',
      'contact',
      'Person - ID=external_id, Person - Name=full_name, Person - Phone - Work=phone, Person - Email - Work=email, Person - Email - Home, Person - Organization, Person - Organization ID=account_external_id, Organization - ID',
    ],
    [
      'Pipedrive DE',
      'opportunity',
      'Deal - Titel=name, Deal - Wert=amount, Deal - Währung=currency, Deal - Phase=stage, Deal - Organisation=account_name, Deal - Kontaktperson=primary_contact_email, Deal - Erwartetes Abschlussdatum=close_date, Deal - Inhaber=owner_email',
    ],
    [
      'Pipedrive FR',
      'opportunity',
      'Affaire - Titre=name, Affaire - Valeur=amount, Affaire - Devise=currency, Affaire - Étape=stage, Affaire - Organisation=account_name, Affaire - Date de clôture prévue=close_date',
    ],
    [
      'Pipedrive ES',
      'opportunity',
      'Trato - Título=name, Trato - Valor=amount, Trato - Moneda=currency, Trato - Etapa=stage, Trato - Organización=account_name, Trato - Persona de contacto=primary_contact_email, Trato - Fecha de cierre prevista=close_date',
    ],
    [
      'Pipedrive TR',
      'opportunity',
      'Anlaşma - Başlık=name, Anlaşma - Değer=amount, Anlaşma - Para Birimi=currency, Anlaşma - Aşama=stage, Anlaşma - Kuruluş=account_name',
    ],
    [
      'Zoho deals',
      'opportunity',
      'Record Id=external_id, Deal Owner.id, Deal Owner=owner_email, Amount=amount, Deal Name=name, Closing Date=close_date, Account Name.id=account_external_id, Account Name=account_name, Stage=stage, Type, Next Step=next_step, Contact Name.id=primary_contact_external_id, Contact Name=primary_contact_email, Currency=currency, Expected Revenue',
    ],
    [
      'Zoho contacts',
      'contact',
      'Record Id=external_id, Contact Owner.id, Contact Owner, Lead Source, First Name=first_name, Last Name=last_name, Account Name.id=account_external_id, Account Name, Email=email, Title=job_title, Phone=phone, Mobile',
    ],
    [
      'Zoho acc',
      'account',
      'Record Id=external_id, Account Owner.id, Account Owner, Rating, Account Name=name, Phone, Website=domain, Industry=industry, Employees=employee_range, Description=description',
    ],
    [
      'Attio deals',
      'opportunity',
      'Record ID=external_id, Deal name=name, Deal stage=stage, Deal owner=owner_email, Deal value=amount, Associated people=primary_contact_email, Associated people > Record ID=primary_contact_external_id, Associated company=account_name, Associated company > Record ID=account_external_id',
    ],
    [
      'Attio people',
      'contact',
      'Record ID=external_id, Name=full_name, Email addresses=email, Company, Company > Record ID=account_external_id, Job title=job_title, Phone numbers=phone',
    ],
    [
      'Attio comp',
      'account',
      'Record ID=external_id, Name=name, Domains=domain, Description=description, Categories, Employee range=employee_range',
    ],
    [
      'Google',
      'contact',
      'First Name=first_name, Middle Name, Last Name=last_name, Phonetic First Name, Name Prefix, Nickname, File As, Organization Name, Organization Title=job_title, Organization Department, Birthday, Notes, Photo, Labels, E-mail 1 - Label, E-mail 1 - Value=email, E-mail 2 - Value, Phone 1 - Label, Phone 1 - Value=phone, Website 1 - Value',
    ],
    [
      'Outlook EN',
      'contact',
      'First Name=first_name, Middle Name, Last Name=last_name, Title, Suffix, Nickname, Given Yomi, E-mail Address=email, E-mail 2 Address, Home Phone, Business Phone=phone, Mobile Phone, Company, Job Title=job_title, Department, Web Page, Notes',
    ],
    [
      'Outlook DE',
      'contact',
      'Anrede, Vorname=first_name, Weitere Vornamen, Nachname=last_name, Suffix, Firma, Abteilung, Position=job_title, Telefon geschäftlich=phone, Mobiltelefon, E-Mail-Adresse=email, E-Mail-Typ, E-Mail: Angezeigter Name, Webseite',
    ],
    [
      'Outlook FR',
      'contact',
      'Titre, Prénom=first_name, Deuxième prénom, Nom=last_name, Suffixe, Société, Service, Fonction=job_title, Téléphone (bureau)=phone, Tél. mobile, Adresse de messagerie=email, Type de messagerie',
    ],
    [
      'Outlook ES',
      'contact',
      'Título, Nombre=first_name, Segundo nombre, Apellidos=last_name, Sufijo, Organización, Departamento, Puesto=job_title, Teléfono del trabajo=phone, Móvil, Dirección de correo electrónico=email',
    ],
    [
      'Outlook PT',
      'contact',
      'Título, Nome=first_name, Segundo nome, Sobrenome=last_name, Empresa, Cargo=job_title, Telefone comercial=phone, Telefone celular, Endereço de email=email',
    ],
    [
      'Outlook IT',
      'contact',
      'Titolo, Nome=first_name, Secondo nome, Cognome=last_name, Società, Posizione=job_title, Telefono (uff.)=phone, Cellulare, Indirizzo posta elettronica=email',
    ],
    [
      'Outlook NL',
      'contact',
      'Titel, Voornaam=first_name, Middelste naam, Achternaam=last_name, Bedrijf, Functie=job_title, Telefoon op werk=phone, Mobiele telefoon, E-mailadres=email',
    ],
    [
      'Outlook PL',
      'contact',
      'Tytuł, Imię=first_name, Drugie imię, Nazwisko=last_name, Firma, Stanowisko=job_title, Telefon służbowy=phone, Telefon komórkowy, Adres e-mail=email',
    ],
    [
      'Outlook TR',
      'contact',
      'Unvan, Adı=first_name, İkinci Adı, Soyadı=last_name, Şirket, Görev=job_title, İş Telefonu=phone, Cep Telefonu, E-posta Adresi=email',
    ],
    [
      'Thunderbird',
      'contact',
      'First Name=first_name, Last Name=last_name, Display Name, Nickname, Primary Email=email, Secondary Email, Screen Name, Work Phone=phone, Home Phone, Fax Number, Pager Number, Mobile Number, Job Title=job_title, Department, Organization, Web Page 1, Notes',
    ],
    [
      'Thunderbird DE',
      'contact',
      'Vorname=first_name, Nachname=last_name, Anzeigename, Spitzname, Primäre E-Mail-Adresse=email, Sekundäre E-Mail-Adresse, Tel. dienstlich=phone, Tel. privat, Mobil-Tel.-Nr., Arbeitstitel=job_title, Organisation',
    ],
    [
      'LinkedIn',
      'contact',
      'First Name=first_name, Last Name=last_name, URL, Email Address=email, Company, Position=job_title, Connected On',
    ],
    [
      'Stripe',
      'contact',
      'id=external_id, Description, Email=email, Name=full_name, Created (UTC), Delinquent, Card ID, Currency',
    ],
    [
      'Mailchimp',
      'contact',
      'Email Address=email, First Name=first_name, Last Name=last_name, Address, Phone Number=phone, Birthday, MEMBER_RATING, OPTIN_TIME, LEID, EUID, NOTES, TAGS',
    ],
    ['Turkish names', 'contact', 'Ad=first_name, Soyad=last_name, E-posta=email, Telefon=phone, Şirket'],
    ['Turkish full names', 'contact', 'Adı Soyadı=full_name, E-posta=email, Cep Telefonu=phone'],
    ['Spanish names alone', 'contact', 'Nombre=full_name, Correo=email'],
    ['German names', 'contact', 'Name, Vorname=first_name, E-Mail=email'],
    ['Notes', 'note', 'Title=title, Note=content, Contact email=contact_emails'],
    ['Polish full names', 'contact', 'Imię i nazwisko=full_name, E-mail=email, Firma'],
  ])('%s has columns of %s', (_system, object, header) => {
    const columns = new Map(header.split(', ').map((one) => [one.replace(/=.*/, ''), []]));
    expect(guessObject(columns)).toBe(object);
    const fields = new Map(
      matchColumns(guessObject(columns), columns).map(({ field, column }) => [column, `=${field}`]),
    );
    expect([...columns.keys()].map((column) => `${column}${fields.get(column) ?? ''}`).join(', ')).toBe(header);
  });
});
