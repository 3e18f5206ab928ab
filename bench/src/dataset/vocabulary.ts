import { normalizeForSearch } from '@crm/domain';

/** Words and their normalized forms, at the same index. Only the package `domain` can normalize texts. */
export interface Words {
  readonly texts: readonly string[];
  readonly normalized: readonly string[];
}

const words = (...texts: readonly string[]): Words => ({ texts, normalized: texts.map(normalizeForSearch) });

/** The subjects of deals. */
export const subjects = words(
  'Renewal',
  'Expansion',
  'Pilot',
  'Migration',
  'Rollout',
  'Website',
  'Verlängerung',
  'Déploiement',
  'Продление',
  'Ανανέωση',
  '更新契約',
  '갱신',
  'تجديد',
  'नवीनीकरण',
);

/** The customers' departments. */
export const areas = words('Alpha', 'Beta', 'Gamma', 'Delta', 'Omega', 'Zürich', 'São Paulo', 'Київ', '大阪', 'İzmir');

/** The first parts of account names. */
export const stems = words(
  'Müller',
  'Northwind',
  'Société Générique',
  'Acme',
  'Globex',
  'Iglesias',
  'Заря',
  'Ελλάς',
  '桜電機',
  '한빛',
  'الشرق',
  'भारत',
);

/** The last parts of account names. */
export const forms = words('GmbH', 'Ltd', 'S.A.', 'Inc', 'ООО', 'Α.Ε.', '株式会社', 'Group');

/** First names of contacts. */
export const firstNames = words('Ada', 'Jürgen', 'Zoë', 'Søren', 'Наталья', 'Γιώργος', '美咲', '지민', 'ليلى', 'राज');

/** Last names of contacts. */
export const lastNames = words(
  'Lovelace',
  "O'Neill",
  'Núñez',
  'Øster',
  'Петрова',
  'Παππάς',
  '佐藤',
  '김',
  'حداد',
  'शर्मा',
);

/** The texts of the custom field `region`. */
export const regions = words('EMEA', 'Americas', 'Asien-Pazifik', 'Средняя Азия');
