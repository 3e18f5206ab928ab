import { type FilterKind, maxListValues, type Operator, operatorAliases, operators, operatorsFor } from '@crm/domain';

const list = `a list of at most ${maxListValues} values`;
const operands: Readonly<Partial<Record<Operator, string>>> = {
  between: 'two values, the lower first',
  in: list,
  not_in: list,
  contains_all: list,
  contains_none: list,
  empty: 'none',
  not_empty: 'none',
};

/** Words for the fields that have the same operators, by one of their kinds. */
const fields: Readonly<Partial<Record<FilterKind, string>>> = {
  text: 'texts',
  number: 'numbers, dates, times',
  uuid: 'ids, checkboxes, single choices',
  option_set: 'several choices, members',
  whole: 'date ranges, locations',
};

const cellsOf = (operator: Operator): string => {
  const [takers, others] = [true, false].map((isTaker) =>
    Object.entries(fields)
      .filter(([kind]) => operatorsFor(kind as FilterKind).includes(operator) === isTaker)
      .map(([, words]) => words)
      .join(', '),
  ) as [string, string];
  const taken = others === '' ? 'all' : takers.length > others.length ? `all but ${others}` : takers;
  return `${operands[operator] ?? 'one value'} | ${taken}`;
};

/** Every operator with its aliases, its value and its fields, as a Markdown table. Operators with the same cells share a row. */
export const operatorTable = (): string => {
  const aliases = (operator: Operator): string[] =>
    Object.keys(operatorAliases).filter((alias) => operatorAliases[alias] === operator);
  const names = (own: readonly string[]): string => own.map((name) => `\`${name}\``).join(' ');
  const lines = [...new Set(operators.map(cellsOf))].map((cells) => {
    const own = operators.filter((operator) => cellsOf(operator) === cells);
    return `| ${names(own)} | ${names(own.flatMap(aliases))} | ${cells} |`;
  });
  return ['| Operators | Aliases | Value | Fields |', '| --- | --- | --- | --- |', ...lines].join('\n');
};
