/** Fields whose Unix milliseconds mean a day in UTC. The API refuses other times in custom fields of days itself. */
const dayFields: ReadonlySet<string> = new Set(['close_date', 'next_action_date']);

const millisecondsOf = (date: Date, key: string): number | string => {
  const ms = date.getTime();
  if (Number.isNaN(ms)) return 'is an invalid Date';
  if (!dayFields.has(key) || ms % 86_400_000 === 0) return ms;
  const pad = (part: number): string => String(part).padStart(2, '0');
  const local = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const utc = date.toISOString();
  return `is a day, but ${utc} is not a midnight in UTC: send '${utc.slice(0, 10)}' (in UTC) or '${local}' (here)`;
};

/** Objects that JSON has a form for. `new String('a')` is an object too. */
const carried: ReadonlySet<string> = new Set(['Object', 'Array', 'Null', 'String', 'Boolean']);

/** What JSON would change or drop without a word; undefined if it would not. `key` is the name in an object, or null in a list. */
const faultOf = (value: unknown, key: string | null): string | undefined => {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value)
        ? undefined
        : `is ${value}, which JSON cannot carry: send a number, or null to clear`;
    case 'bigint':
      return 'is a BigInt, which JSON cannot carry: send a number';
    case 'undefined':
      return key === null ? 'is undefined, and JSON would send null: leave it out of the list' : undefined;
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON would leave out`;
    case 'object': {
      const type = Object.prototype.toString.call(value).slice(8, -1);
      if (type === 'Number') return faultOf(Number(value), key);
      return carried.has(type) ? undefined : `is a ${type}, which JSON cannot carry: send a plain object or a list`;
    }
    default:
      return undefined;
  }
};

/**
 * A body as JSON, with dates as Unix milliseconds, which every field with dates takes.
 * @throws TypeError that names the path of a value that JSON would change or drop, such as `opportunity.amount` if it is NaN
 */
export const toJson = (body: unknown): string => {
  const paths = new Map<unknown, string>();
  return JSON.stringify(body, function (this: Record<string, unknown>, key, value: unknown) {
    const isInList = Array.isArray(this);
    const before = paths.get(this) ?? '';
    const path = isInList ? `${before}[${key}]` : before === '' ? key : `${before}.${key}`;
    const given = this[key];
    const sent = given instanceof Date ? millisecondsOf(given, key) : value;
    const fault =
      given instanceof Date ? (typeof sent === 'string' ? sent : undefined) : faultOf(sent, isInList ? null : key);
    if (fault !== undefined) throw new TypeError(`${path === '' ? 'the body' : path} ${fault}`);
    if (typeof sent === 'object') paths.set(sent, path);
    return sent;
  });
};
